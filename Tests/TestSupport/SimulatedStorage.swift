// The simulated disk has a module of its own, since users of the library test with it too. Whoever
// imports the test support has it.
@_exported public import SimulatedStorage

import LogStorage
import TestSupport
import Testing

@Suite struct LockContractTests {
    @Test(arguments: TestedFileSystem.allCases)
    func theSecondToLockIsToldWhoHoldsIt(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            let lock = try acquire(system, root, note: "process 7, since noon")
            #expect(try holder(system, root) == "process 7, since noon")
            #expect(try holder(system, root) == "process 7, since noon", "asking changes nothing")
            #expect(try system.kind(of: "\(root)/lock") == .file)
            withExtendedLifetime(lock) {}
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aLockFallsWithItsLastReference(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            var lock: (any HeldLock)? = try acquire(system, root, note: "first")
            var second = lock
            lock = nil
            #expect(try holder(system, root) == "first", "a reference is left")
            withExtendedLifetime(second) {}
            second = nil
            let next = try acquire(system, root, note: "second")
            #expect(try holder(system, root) == "second")
            withExtendedLifetime(next) {}
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aLeftLockFileIsNoLock(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("a much longer note of a process that is no more", at: "\(root)/lock")
            let lock = try acquire(system, root, note: "short")
            #expect(try holder(system, root) == "short")
            withExtendedLifetime(lock) {}
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aRemovedLockFileLocksNothing(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            let first = try acquire(system, root, note: "first")
            #expect(try system.remove("\(root)/lock"))
            let second = try acquire(system, root, note: "second")
            #expect(try holder(system, root) == "second")
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func locksOnTwoFilesAreApart(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            _ = try system.createDirectory("\(root)/a", mode: .privateDirectory)
            _ = try system.createDirectory("\(root)/b", mode: .privateDirectory)
            let first = try acquire(system, "\(root)/a", note: "a")
            let second = try acquire(system, "\(root)/b", note: "b")
            withExtendedLifetime((first, second)) {}
        }
    }

    private func acquire(_ system: any FileSystem, _ root: String, note: String) throws -> any HeldLock {
        switch try system.lock("\(root)/lock", mode: .privateFile, note: note) {
        case .acquired(let lock): return lock
        case .held(let holder): throw Held(by: holder)
        }
    }

    /// The note of whoever holds the lock, or nil when it is free.
    private func holder(_ system: any FileSystem, _ root: String) throws -> String? {
        switch try system.lock("\(root)/lock", mode: .privateFile, note: "a stranger") {
        case .acquired: return nil
        case .held(let holder): return holder
        }
    }

    private struct Held: Error {
        var by: String
    }
}

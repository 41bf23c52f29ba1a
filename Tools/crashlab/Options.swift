/// The options behind a command, each with a value but two; nil when one is not known.
struct Options {
    var values: [String: String] = [:]
    var isJSON = false
    var isFull = false

    init?(_ arguments: ArraySlice<String>, known: Set<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            if option == "--full" {
                isFull = true
                continue
            }
            guard known.contains(option), let value = rest.popFirst() else { return nil }
            values[option] = value
        }
    }
}

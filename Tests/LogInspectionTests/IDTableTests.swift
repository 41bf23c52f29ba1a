import LogFormat
import LogInspection
import Testing

/// Numbers for ids, in the order of their coming.
struct IDTableTests {
    private func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    @Test func everyIDKeepsItsNumberAndItsSpelling() {
        var table = IDTable()
        // Short ones, long ones that fill a piece, and one that is longer than a piece.
        let ids = (0..<20_000).map { number in
            number % 1000 == 0
                ? String(repeating: "\(number)", count: number == 3000 ? 40_000 : 900) : "\"id-\(number)\""
        }
        for (number, id) in ids.enumerated() { #expect(bytes(id) { table.insert($0) } == number) }
        for (number, id) in ids.enumerated() {
            #expect(bytes(id) { table.insert($0) } == number)
            #expect(bytes(id) { table.index(of: $0) } == number)
            #expect(table.spelling(number) == Array(id.utf8))
        }
        #expect(table.count == ids.count)
        #expect(bytes("\"other\"") { table.index(of: $0) } == nil)
    }
}

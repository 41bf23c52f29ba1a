import Testing

@Suite struct TodoTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func todo(_ words: String...) async throws -> (code: Int32, text: String) {
        try await Program.run(
            Program.path("todo"),
            words,
            environment: ["TODO_DIRECTORY": scratch.url.path]
        )
    }

    @Test func theListIsKeptFromOneCallToTheNext() async throws {
        #expect(try await todo("add", "Buy", "milk") == (0, "1 [ ] Buy milk\n"))
        #expect(try await todo("add", "Call Ada") == (0, "1 [ ] Buy milk\n2 [ ] Call Ada\n"))
        #expect(try await todo("done", "1") == (0, "1 [x] Buy milk\n2 [ ] Call Ada\n"))
        #expect(try await todo("clear") == (0, "2 [ ] Call Ada\n"))
        #expect(try await todo() == (0, "2 [ ] Call Ada\n"))
    }

    @Test func whatMakesNoCommandChangesNothing() async throws {
        for words in [["add"], ["done", "one"], ["done"], ["sing"], ["list", "all"]] {
            let (code, text) = try await Program.run(
                Program.path("todo"),
                words,
                environment: ["TODO_DIRECTORY": scratch.url.path]
            )
            #expect(code == 64 && text.contains("usage:"), "\(words): \(text)")
        }
        #expect(try await todo("done", "7") == (64, "todo: There is no task 7.\n"))
        #expect(try await todo() == (0, ""))
    }
}

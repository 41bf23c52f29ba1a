import Notebook
import Testing
import WALStore
import WALStoreTesting

@MainActor
@Suite struct ScreenTests {
    @MainActor private final class Window {
        var drawn: [[String]] = []

        /// Waits until these lines are what is shown.
        func shows(_ lines: [String]) async throws -> Bool {
            try await shows { $0 == lines }
        }

        func shows(_ isWanted: ([String]) -> Bool) async throws -> Bool {
            for _ in 0..<5_000 {
                if let lines = drawn.last, isWanted(lines) { return true }
                try await Task.sleep(for: .milliseconds(1))
            }
            return false
        }
    }

    @Test func theScreenFollowsWhateverIsSavedAndOnlyOnceItIs() async throws {
        let disk = SimulatedDisk()
        let notes = try LocalRepository<Note>(configuration: disk.configuration)
        let window = Window()
        let screen = NotebookScreen(notes) { window.drawn.append($0) }
        let showing = Task { await screen.show() }
        #expect(try await window.shows(["No notes yet"]))
        await screen.add("b")
        try await notes.save(Note("a"))
        #expect(try await window.shows(["- a", "- b"]))
        await screen.remove("b")
        #expect(try await window.shows(["- a"]))

        disk.isFull = true
        await screen.add("c")
        #expect(try await window.shows { $0.first?.hasPrefix("! ") == true })
        #expect(await notes.count == 1)
        disk.isFull = false
        try await notes.close()
        await showing.value
    }

    @Test func aPreviewNeedsNoDisk() async throws {
        let notes = InMemoryRepository([Note("from a preview")])
        let window = Window()
        let screen = NotebookScreen(notes) { window.drawn.append($0) }
        let showing = Task { await screen.show() }
        #expect(try await window.shows(["- from a preview"]))
        await notes.close()
        await showing.value
    }
}

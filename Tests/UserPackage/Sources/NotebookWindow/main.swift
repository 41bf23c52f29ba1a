// A headless window: prints what a view of the notebook would show, while it changes under it.
//
//     swift run --package-path Tests/UserPackage notebook-window
import Foundation
import Notebook
import WALStore

@MainActor
func showNotebook(in directory: URL) async throws {
    let notes = try await LocalRepository<Note>.open(directory: directory)
    let screen = NotebookScreen(notes) { print($0.joined(separator: "\n"), terminator: "\n\n") }
    let showing = Task { await screen.show() }
    func lookAtIt() async throws { try await Task.sleep(for: .milliseconds(100)) }

    try await lookAtIt()
    await screen.add("Buy milk")
    try await lookAtIt()
    // Somebody else, such as a sync with a server.
    try await Task.detached {
        try await notes.save(contentsOf: [Note("Call Ada"), Note("Answer the letter")])
    }.value
    try await lookAtIt()
    await screen.remove("Buy milk")
    try await lookAtIt()
    try await notes.close()
    await showing.value
}

let directory = FileManager.default.temporaryDirectory.appending(path: "notebook-\(UUID().uuidString)")
try await showNotebook(in: directory)
try FileManager.default.removeItem(at: directory)

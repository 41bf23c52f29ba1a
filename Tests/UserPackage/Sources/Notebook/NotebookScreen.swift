import Observation
import WALStore

/// What the notebook's window shows, as lines of text: a view without a window.
///
/// It reads a `RepositoryModel` as a SwiftUI view does, and draws again when what it read has changed,
/// whoever changed it.
@MainActor
public final class NotebookScreen {
    private let model: RepositoryModel<Note>
    private let draw: @MainActor ([String]) -> Void

    public init(_ notes: any Repository<Note>, draw: @escaping @MainActor ([String]) -> Void) {
        model = RepositoryModel(notes, sortedBy: \.text)
        self.draw = draw
    }

    /// Draws the notes, and again after each change, until the task is cancelled or the store is closed.
    public func show() async {
        redraw()
        await model.follow()
    }

    public func add(_ text: String) async { await model.add(Note(text)) }

    public func remove(_ text: String) async {
        guard let note = model.items.first(where: { $0.text == text }) else { return }
        await model.remove(note.id)
    }

    private var lines: [String] {
        if let error = model.error { return ["! \(error.message)"] }
        if !model.isLoaded { return ["Loading"] }
        return model.items.isEmpty ? ["No notes yet"] : model.items.map { "- \($0.text)" }
    }

    private func redraw() {
        let lines = withObservationTracking {
            self.lines
        } onChange: {
            Task { @MainActor in self.redraw() }
        }
        draw(lines)
    }
}

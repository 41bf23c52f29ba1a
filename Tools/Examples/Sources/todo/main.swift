// A to-do list on the command line.
//
//     todo add Buy milk      todo list      todo done 1      todo clear
//
// The list is `todo.wal` in the directory that TODO_DIRECTORY names, else in the home directory.
import Foundation
import WALStore

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var text: String
    var isDone = false
}

enum Failure: Error, CustomStringConvertible {
    case usage
    case noSuchTask(Int)

    var description: String {
        switch self {
        case .usage: "usage: todo add TEXT | list | done NUMBER | clear"
        case .noSuchTask(let number): "There is no task \(number)."
        }
    }
}

struct TodoList {
    let tasks: LocalRepository<Todo>

    init() throws {
        let place = ProcessInfo.processInfo.environment["TODO_DIRECTORY"] ?? NSHomeDirectory()
        tasks = try LocalRepository(directory: URL(filePath: place), filename: "todo.json")
    }

    func run(_ arguments: [String]) async throws {
        switch (arguments.first ?? "list", arguments.dropFirst()) {
        case ("add", let words) where !words.isEmpty: try await add(words.joined(separator: " "))
        case ("list", let rest) where rest.isEmpty: break
        case ("done", let rest): try await finish(rest)
        case ("clear", let rest) where rest.isEmpty:
            try await tasks.delete(contentsOf: tasks.filter(\.isDone).map(\.id))
        default: throw Failure.usage
        }
        for task in await tasks.loadAll(sortedBy: \.id) {
            print("\(task.id) [\(task.isDone ? "x" : " ")] \(task.text)")
        }
    }

    private func add(_ text: String) async throws {
        let last = await tasks.loadAll().map(\.id).max() ?? 0
        try await tasks.save(Todo(id: last + 1, text: text))
    }

    private func finish(_ words: ArraySlice<String>) async throws {
        guard let number = words.first.flatMap({ Int($0) }), words.count == 1 else { throw Failure.usage }
        try await tasks.update(number) { task in
            guard task != nil else { throw Failure.noSuchTask(number) }
            task?.isDone = true
        }
    }
}

do {
    let list = try TodoList()
    try await list.run(Array(CommandLine.arguments.dropFirst()))
    try await list.tasks.close()
} catch {
    FileHandle.standardError.write(Data("todo: \(error)\n".utf8))
    exit(error is Failure ? 64 : 1)
}

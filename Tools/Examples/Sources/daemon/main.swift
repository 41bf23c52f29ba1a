// A small server, without the sockets: requests come in on standard input, a JSON line each, and are
// saved side by side; `saved N` goes to standard output when the request of line N is on stable storage.
//
//     daemon DIRECTORY [COMPACT-AT-BYTES]
//
// It has no code for being stopped. Killing it loses nothing that it called saved, and whoever watches
// over it starts it again.
import Foundation
import Messages
import WALStore

/// As many requests as may be under way. They share their syncs, so more at a time are saved faster.
let limit = 64

func write(_ line: String, to file: FileHandle) {
    do {
        try file.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
        exit(74)  // Nobody listens any more.
    }
}

func serve(_ line: String, number: Int, from messages: LocalRepository<Message>) async {
    do {
        let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
        if let message = request.save { try await messages.save(message) }
        if let id = request.delete { try await messages.delete(id) }
        write("saved \(number)", to: .standardOutput)
    } catch let error as StoreError where error.code == .outcomeUnknown || error.code == .poisoned {
        // The way out is to open the store again: to be started again.
        write("daemon: \(error)", to: .standardError)
        exit(75)
    } catch {
        write("failed \(number) \(error)", to: .standardOutput)
    }
}

func open(_ arguments: [String]) throws -> LocalRepository<Message> {
    var configuration = StoreConfiguration()
    if let bytes = arguments.dropFirst().first.flatMap({ Int($0) }) {
        configuration.compaction = .automatic(minimumBytes: bytes)
    }
    configuration.log = { if $0.level != .info { write("daemon: \($0)", to: .standardError) } }
    return try MessageStore.open(URL(filePath: arguments[0]), configuration: configuration)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    write("usage: daemon DIRECTORY [COMPACT-AT-BYTES]", to: .standardError)
    exit(64)
}
do {
    let messages = try open(arguments)
    // The main thread does nothing but wait for input, so no task may need it.
    let free = DispatchSemaphore(value: limit)
    var number = 0
    while let line = readLine() {
        number += 1
        free.wait()
        let this = number
        Task.detached {
            await serve(line, number: this, from: messages)
            free.signal()
        }
    }
    for _ in 0..<limit { free.wait() }
    for _ in 0..<limit { free.signal() }
    Task.detached {
        do {
            try await messages.close()
            exit(0)
        } catch {
            write("daemon: \(error)", to: .standardError)
            exit(1)
        }
    }
    dispatchMain()
} catch {
    write("daemon: \(error)", to: .standardError)
    exit(1)
}

import Foundation
import TestSupport
import WALStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Changes a store until it is killed, and says before and after each call what it does.
struct Writer: Sendable {
    private let directory: String
    private let seed: UInt64
    private var durability = StoreConfiguration.Durability.synced
    private var tasks = 1
    private var calls = Int.max
    private var compaction = StoreConfiguration.Compaction.automatic()

    /// Nil when the arguments are not understood.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        guard let directory = rest.popFirst(), let seed = rest.popFirst().flatMap(UInt64.init) else {
            return nil
        }
        self.directory = directory
        self.seed = seed
        while let option = rest.popFirst() {
            switch (option, rest.popFirst()) {
            case ("--durability", "synced"): durability = .synced
            case ("--durability", "written"): durability = .written(syncEvery: .milliseconds(20))
            case ("--tasks", let text?):
                guard let count = Int(text), count > 0 else { return nil }
                tasks = count
            case ("--calls", let text?):
                guard let count = Int(text), count > 0 else { return nil }
                calls = count
            case ("--compact-at", let text?):
                guard let bytes = Int(text), bytes > 0 else { return nil }
                compaction = .automatic(minimumBytes: bytes)
            default: return nil
            }
        }
    }

    func run() async {
        do {
            var configuration = StoreConfiguration(durability: durability)
            configuration.compaction = compaction
            let store = try LocalRepository<LabItem>(
                directory: URL(filePath: directory, directoryHint: .isDirectory),
                configuration: configuration
            )
            report("open \(store.recovery.bytesCut)")
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask { await write(task, to: store) }
                }
            }
            try await store.close()
            report("closed")
        } catch {
            report("error \(error)")
            exit(1)
        }
    }

    /// Makes its calls one after the other; after a failure it goes on if the store does.
    private func write(_ task: Int, to store: LocalRepository<LabItem>) async {
        let parent = getppid()
        var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(task))
        var number = 0
        // A writer whose parent has died would write for ever.
        while number < calls, getppid() == parent {
            let call = LabMutation(task: task, number: number, life: seed, random: &random)
            report("issue \(task) \(number) \(call)")
            do throws(StoreError) {
                try await make(call, in: store)
                report("done \(task) \(number)")
            } catch {
                report("fail \(task) \(number) \(error.code)")
                if error.code == .outcomeUnknown || error.code == .poisoned { return }
            }
            number += 1
        }
    }

    private func make(_ call: LabMutation, in store: LocalRepository<LabItem>) async throws(StoreError) {
        switch (call.puts.count, call.deletes.count) {
        case (1, 0): try await store.save(call.puts[0].item)
        case (0, 1): try await store.delete(call.deletes[0])
        case (0, _): try await store.delete(contentsOf: call.deletes)
        default: try await store.save(contentsOf: call.puts.map(\.item))
        }
    }
}

/// Writes a line to standard output with one system call, so that no death loses a part of it.
func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var done = 0
    while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0 {
            guard errno == EINTR else { exit(3) }
            continue
        }
        done += count
    }
}

import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

private func open(
    _ disk: SimulatedDisk,
    filename: String = "data.json",
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) throws(StoreError) -> LocalRepository<Note> {
    var configuration = StoreConfiguration.on(disk)
    configuration.compaction = .manual
    change(&configuration)
    return try LocalRepository(directory: Place.directory, filename: filename, configuration: configuration)
}

private func texts(_ items: [Note]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.text) })
}

@Suite("History and copies")
struct HistoryTests {
    @Test("The state at every number is the one that was there, across compactions, as far as files reach")
    func everyNumber() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) { $0.retention.generations = .max }
        var states: [[String: String]] = [[:]]
        var random = SeededGenerator(seed: 9)
        for step in 1...60 {
            var state = states[states.count - 1]
            let id = "n\(Int.random(in: 0..<6, using: &random))"
            if step % 5 == 0 {
                let batch = [Note(id, "\(step)a"), Note("b", "\(step)b")]
                // Within the batch the state is that before it.
                states.append(state)
                for note in batch { state[note.id] = note.text }
                try await repository.save(contentsOf: batch)
                states.append(state)
            } else if step % 7 == 0, state[id] != nil {
                state[id] = nil
                try await repository.delete(id)
                states.append(state)
            } else {
                state[id] = "\(step)"
                try await repository.save(Note(id, "\(step)"))
                states.append(state)
            }
            if step % 20 == 0 { try await repository.compact() }
        }
        for (number, state) in states.enumerated() {
            let found = try await repository.items(asOf: .sequenceNumber(UInt64(number)))
            #expect(texts(found) == state, "\(number)")
        }
        #expect(texts(try await repository.items(asOf: .date(Date.distantFuture))) == states.last)
    }

    @Test("A moment that the files do not reach is an error, not an empty state")
    func gone() async throws {
        let repository = try open(SimulatedDisk())
        for round in 1...3 {
            try await repository.save(Note("a", "\(round)"))
            try await repository.compact()
        }
        let error = await #expect(throws: StoreError.self) {
            try await repository.items(asOf: .sequenceNumber(1))
        }
        #expect(error?.code == .historyGone)
        #expect(texts(try await repository.items(asOf: .sequenceNumber(3))) == ["a": "3"])
    }

    @Test("Each version of an item is there once, with deletes")
    func versions() async throws {
        let repository = try open(SimulatedDisk()) { $0.retention.generations = .max }
        try await repository.save(Note("a", "1"))
        try await repository.save(Note("b", "x"))
        try await repository.compact()
        try await repository.delete("a")
        try await repository.save(Note("a", "2"))
        try await repository.compact()
        let versions = try await repository.history(of: "a")
        #expect(versions.map(\.sequenceNumber) == [1, 3, 4])
        #expect(versions.map { $0.item?.text } == ["1", nil, "2"])
        #expect(try await repository.history(of: "c").isEmpty)
    }

    @Test("A backup taken while savers go on opens and is a prefix of the writer's history")
    func backup() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) { $0.compaction = .automatic(minimumBytes: 5_000) }
        let saver = Task {
            for revision in 1...2_000 { try await repository.save(Note("n\(revision % 30)", "\(revision)")) }
        }
        for copy in 1...5 {
            try await repository.backup(to: URL(filePath: "/d/copy\(copy).wal"))
            let opened = try open(disk, filename: "copy\(copy).json")
            let found = await opened.loadAll()
            let last = found.compactMap { Int($0.text) }.max() ?? 0
            var expected: [String: String] = [:]
            for revision in stride(from: 1, through: last, by: 1) {
                expected["n\(revision % 30)"] = "\(revision)"
            }
            #expect(texts(found) == expected, "copy \(copy)")
            #expect(opened.recovery.quarantined.isEmpty)
        }
        try await saver.value
        let error = await #expect(throws: StoreError.self) {
            try await repository.backup(to: URL(filePath: "/d/copy1.wal"))
        }
        #expect(error?.code == .targetExists)
    }

    @Test("A copy with a damaged byte, whichever, is refused or opens to all that was copied")
    func damagedBackup() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        for revision in 1...6 {
            try await repository.save(Note("n\(revision)", "\(revision)"))
            if revision == 3 { try await repository.compact() }
        }
        try await repository.backup(to: URL(filePath: "/d/copy.wal"))
        #if DEBUG
            let step = 4
        #else
            let step = 1
        #endif
        var refused = 0
        for path in disk.paths where path.hasPrefix("/d/copy.wal/") {
            let bytes = try #require(disk.contents(of: path))
            for place in stride(from: 0, to: bytes.count, by: step) {
                var damaged = bytes
                damaged[place] ^= UInt8(1 << (place % 8))
                let copy = disk.copy()
                copy.setContents(path, damaged)
                do throws(StoreError) {
                    let opened = try open(copy, filename: "copy.json")
                    #expect(
                        texts(await opened.loadAll()) == texts(await repository.loadAll()),
                        "\(path), byte \(place)"
                    )
                } catch {
                    #expect(error.code == .corruption, "\(path), byte \(place): \(error)")
                    refused += 1
                }
            }
        }
        let mark = try #require(disk.contents(of: "/d/copy.wal/log-0000000002.jsonl"))
        #expect(text(mark).hasSuffix(#""op":"mark"}"# + "\n"))
        #expect(refused > 500 / step)
    }

    @Test("A copy that does not hold what was read is refused while it is made")
    func wrongCopy() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        try await repository.save(Note("a", "1"))
        disk.setContents(
            Place.log,
            (disk.contents(of: Place.log) ?? []).map { $0 == UInt8(ascii: "1") ? 0x32 : $0 }
        )
        let error = await #expect(throws: StoreError.self) {
            try await repository.backup(to: URL(filePath: "/d/copy.wal"))
        }
        #expect(error?.code == .corruption)
    }

    @Test(
        "A copy that fails at any call leaves nothing, a part that is refused, or all, and no unfinished file"
    )
    func failedBackup() async throws {
        let start = SimulatedDisk()
        let writer = try open(start)
        for revision in 1...4 {
            try await writer.save(Note("n\(revision)", "\(revision)"))
            if revision == 2 { try await writer.compact() }
        }
        let whole = texts(await writer.loadAll())
        try await writer.close()
        let target = URL(filePath: "/d/copy.wal")
        let counting = start.copy()
        let counted = try open(counting)
        let first = counting.callCount
        try await counted.backup(to: target)
        let calls = first..<counting.callCount
        try await counted.close()
        #expect(calls.count > 20)
        var outcomes: [String: Int] = [:]
        for call in calls {
            for effect in [Fault.Effect.nothing, .short(30), .done] {
                let disk = start.copy()
                let repository = try open(disk)
                disk.fail(.call(call), code: 28, effect: effect)
                let error = await #expect(throws: StoreError.self, "call \(call), \(effect)") {
                    try await repository.backup(to: target)
                }
                #expect(error?.code == .diskFull || error?.code == .io, "call \(call), \(effect)")
                // A file that is made while its making fails is left.
                let isMadeAndFailed = disk.injectedFaults[.create] == 1 && effect == .done
                let isUnfinished = disk.paths.contains {
                    $0.hasPrefix("/d/copy.wal/") && $0.hasSuffix(".tmp")
                }
                #expect(isUnfinished == isMadeAndFailed, "call \(call), \(effect)")
                do throws(StoreError) {
                    let copy = try open(disk, filename: "copy.json")
                    let found = texts(await copy.loadAll())
                    #expect(found == whole || copy.recovery.origin == .created, "call \(call), \(effect)")
                    outcomes[found.isEmpty ? "nothing" : "all", default: 0] += 1
                } catch {
                    #expect(error.code == .corruption || error.code == .filesMissing, "\(error)")
                    outcomes["refused", default: 0] += 1
                }
                try await repository.close()
            }
        }
        #expect(outcomes.count == 3, "\(outcomes)")
    }

    @Test("An export is a plain JSON array that a new store imports")
    func export() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        for revision in [3, 1, 2] { try await repository.save(Note("n\(revision)", "line\n\(revision)")) }
        try await repository.exportJSON(to: URL(filePath: "/d/plain.json"))
        let json = try #require(disk.contents(of: "/d/plain.json"))
        let items = try JSONDecoder().decode([Note].self, from: Data(json))
        #expect(items.map(\.id) == ["n1", "n2", "n3"])
        let imported = try open(disk, filename: "plain.json")
        #expect(imported.recovery.origin == .imported(items: 3))
        #expect(texts(await imported.loadAll()) == texts(await repository.loadAll()))
    }
}

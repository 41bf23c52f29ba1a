import Foundation
import LogEngine
import LogFormat
import LogStorage
import TestSupport

/// A kept fixture of format 1: what `verify` says of it, and the state that it opens to.
struct Fixture: Sendable, CustomStringConvertible {
    let name: String
    let verdict: String
    /// Canonical JSON values by id; nil when it does not open.
    let state: [String: String]?
    let lastSequenceNumber: Int?

    var description: String { name }
    var opens: Bool { state != nil }
    var path: String { Self.directory + "/" + name }

    static let directory: String = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appending(path: "Fixtures/v1").path
    }()

    static let all: [Fixture] = {
        do {
            let data = try Data(contentsOf: URL(filePath: directory + "/expected.json"))
            let all = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]] ?? [:]
            return all.map { Fixture($0.key, $0.value) }.sorted { $0.name < $1.name }
        } catch {
            return []
        }
    }()

    private init(_ name: String, _ expected: [String: Any]) {
        self.name = name
        verdict = expected["verdict"] as? String ?? ""
        let served = expected["opens"] as? [String: Any] ?? expected
        state = (served["state"] as? [String: Any]).map { state in state.mapValues { canonicalJSON($0) } }
        lastSequenceNumber = served["lastSeq"] as? Int
    }

    /// The fixture on a disk of its own, at `/store`.
    func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.load(path, of: POSIXFileSystem(), to: "/store")
        return disk
    }
}

/// The JSON text of a value, with sorted keys, so that equal values are equal texts.
func canonicalJSON(_ value: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
    do {
        let data = try JSONSerialization.data(withJSONObject: value, options: options)
        return String(decoding: data, as: UTF8.self)
    } catch {
        return "\(error)"
    }
}

extension SimulatedDisk {
    /// A disk with a store at `/store` that has these files.
    static func holding(_ files: [String: [UInt8]]) -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.addDirectory("/store")
        for (name, bytes) in files { disk.setContents("/store/\(name)", bytes) }
        return disk
    }

    /// One log.
    static func holding(_ log: LogBuilder) -> SimulatedDisk {
        holding(["log-0000000001.jsonl": log.bytes])
    }

    /// What the store opens to: canonical JSON values by id.
    func state(_ path: String = "/store") throws -> [String: String] {
        let directory = StoreDirectory(path: path, fileSystem: self)
        guard case .store(let plan) = try Recovery.plan(directory) else { return [:] }
        var reader = ValueReader(directory, plan.files)
        var state: [String: String] = [:]
        for slot in plan.index.liveSlots() {
            let value = Data(try reader.value(at: plan.index.location(at: slot)))
            let object = try JSONSerialization.jsonObject(with: value, options: .fragmentsAllowed)
            state[plan.index.id(at: slot).description] = canonicalJSON(object)
        }
        return state
    }

    /// All files but the lock, which has no meaning.
    var meaningfulFiles: [String: [UInt8]] { files.filter { !$0.key.hasSuffix("/lock") } }

    /// Someone who has the store open.
    func holdLock(_ note: String = "process 7 (other) since then\n") throws -> any HeldLock {
        guard case .acquired(let lock) = try lock("/store/lock", mode: .privateFile, note: note) else {
            throw StorageError(.lock, "/store/lock", code: 0, reason: "it is held already")
        }
        return lock
    }
}

/// A log of three records that are covered, a fault, and one more that says so.
func damagedLog() -> LogBuilder {
    var log = LogBuilder()
    log.header()
    log.put("a", "{\"n\":1}")
    let damaged = log.put("b", "{\"n\":2}")
    log.put("c", "{\"n\":3}", synced: SequenceNumber(2))
    var bytes = log.bytes
    bytes[damaged.upperBound - 5] ^= 1
    var copy = LogBuilder()
    copy.raw(bytes)
    return copy
}

/// A log of two records and a tail that was torn: half a record, and two that are whole.
func tornLog() -> LogBuilder {
    var log = LogBuilder()
    log.header()
    log.put("a", "{\"n\":1}")
    log.put("b", "{\"n\":2}")
    log.raw("{\"crc\":\"12345678\",\"seq\":3,\"at\":1796000000003,\"op\":\"put\",\"id\":\"lost\",\"val\n")
    log.put("a", "{\"n\":4}", number: SequenceNumber(4), schema: 3)
    log.delete("b", number: SequenceNumber(5))
    return log
}

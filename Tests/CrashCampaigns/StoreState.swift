package import LogEngine
import LogFormat
import LogStorage
package import TestSupport

/// A point in a store's history: the number of its last record, and the value of each live id.
package struct Moment: Hashable, CustomStringConvertible, Sendable {
    package var number: UInt64
    package var state: [String: String]

    package init(number: UInt64, state: [String: String]) {
        self.number = number
        self.state = state
    }

    package static let beginning = Moment(number: 0, state: [:])

    package var description: String {
        let pairs = state.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "#\(number) {\(pairs.joined(separator: ", "))}"
    }
}

extension StorePlan {
    /// What a reader of the plan is served.
    package func moment(in directory: StoreDirectory) throws -> Moment {
        var state: [String: String] = [:]
        var reader = ValueReader(directory, files, windowSize: 16 << 10)
        for slot in index.liveSlots() {
            let value = try reader.value(at: index.location(at: slot))
            state[index.id(at: slot).description] = String(decoding: value, as: UTF8.self)
        }
        return Moment(number: lastSequenceNumber.rawValue, state: state)
    }
}

extension Recovery {
    /// The plan of a directory that must hold a store that opens.
    package static func storePlan(_ directory: StoreDirectory) throws -> StorePlan {
        switch try plan(directory) {
        case .store(let plan): return plan
        case .absent, .unfinishedImport: throw NoStore(path: directory.path)
        }
    }
}

package struct NoStore: Error {
    package var path: String
}

extension StoreDirectory {
    /// The store that most tests use.
    package static func simulated(_ disk: SimulatedDisk) -> StoreDirectory {
        StoreDirectory(path: "/d/store.wal", fileSystem: disk)
    }

    /// The error with which the directory is refused, or nil when it opens.
    package func refusal() throws -> EngineError? {
        do throws(EngineError) {
            _ = try Recovery.plan(self)
            return nil
        } catch {
            return error
        }
    }
}

extension SimulatedDisk {
    /// A disk with a store of these files.
    package static func holding(_ files: [String: [UInt8]]) -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.addDirectory("/d/store.wal")
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            disk.setContents("/d/store.wal/\(name)", bytes)
        }
        return disk
    }

    /// The contents of a file of the store.
    package func file(_ name: String) -> [UInt8]? { contents(of: "/d/store.wal/\(name)") }
}

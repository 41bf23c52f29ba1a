import LogEngine
import LogFormat
import LogStorage
import TestSupport

/// What is done with the bytes that a fuzzer makes up (L10).
package enum Fuzzing: String, CaseIterable, Sendable {
    /// The bytes are a file, and the scanner splits it.
    case scanner
    /// The bytes are the files of a store, as `StoreBytes` splits them, and the store is opened.
    case store

    /// - Throws: `Violation` when the bytes are not judged as they have to be. Time, memory and traps are
    ///   for the caller to watch.
    package func judge(_ bytes: [UInt8]) throws {
        switch self {
        case .scanner: try Self.scan(bytes)
        case .store: try Self.open(StoreBytes.files(in: bytes))
        }
    }

    /// However the file is read, the lines found are those that the plain reading of the format finds.
    private static func scan(_ bytes: [UInt8]) throws {
        let file = ByteFile(bytes)
        let whole = file.items()
        let windowed = file.items(windowSize: 64 + bytes.count % 97, readSize: 1 + bytes.count % 61)
        guard whole.tile(bytes.count), windowed.tile(bytes.count) else {
            throw Violation(.linesAreFound, "the ranges leave gaps or overlap")
        }
        guard whole.validLines == windowed.validLines else {
            throw Violation(.linesAreFound, "the window's size changes what is found")
        }
        let reference = ReferenceScanner.coverage(bytes)
        guard Coverage(whole) == reference else {
            throw Violation(.linesAreFound, "\(Coverage(whole)) instead of \(reference)")
        }
    }

    /// The store opens or is refused as the inspector says, and what is sound of it can be saved. One that
    /// opens can be written to, and opens to the same again.
    private static func open(_ files: [String: [UInt8]]) throws {
        let disk = SimulatedDisk.holding(files)
        let opening = try Opening(.simulated(disk))
        _ = try opening.agreesWithInspection(of: .simulated(disk))
        if disk.fingerprint % 4 == 1 { _ = try SalvageCheck(of: disk, opening) }
        // The lives after it take as long as ten openings. Near the highest number there is no room for them.
        guard case .opened(let plan, let found) = opening, disk.fingerprint % 8 == 0,
            plan.lastSequenceNumber < SequenceNumber(SequenceNumber.highest.rawValue - 100)
        else { return }
        try Workload.checkRecovery(disk, StoreModel(found, endsInMark: plan.highestLogEndsInMark))
    }
}

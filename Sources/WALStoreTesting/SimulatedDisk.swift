import LogStorage
private import SimulatedStorage
import Synchronization
public import WALStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A disk in memory for tests: it loses power, fills up and fails syncs when it is told to.
///
/// Give its `configuration` to a repository, with any item type:
///
/// ```swift
/// let disk = SimulatedDisk()
/// let notes = try LocalRepository<Note>(configuration: disk.configuration)
/// try await notes.save(Note("a"))
/// disk.cutPower()
/// let after = try LocalRepository<Note>(configuration: disk.restart().configuration)
/// ```
///
/// It is as bad as a disk may be: what was not synced may be lost, torn at any byte or turned to garbage,
/// in any order, and a name may be lost without its directory's sync.
public final class SimulatedDisk: Sendable {
    private let disk: SimulatedStorage.SimulatedDisk
    private let written: Mutex<[String]>
    /// When the power went that this disk was restarted after, for the message of a failing test.
    public let history: String

    /// An empty disk.
    public init() {
        disk = SimulatedStorage.SimulatedDisk()
        written = Mutex([])
        history = "never off"
    }

    private init(_ disk: SimulatedStorage.SimulatedDisk, notes: [String], history: String) {
        self.disk = disk
        written = Mutex(notes)
        self.history = history
    }

    /// The defaults, on this disk. Change what the test needs.
    public var configuration: StoreConfiguration { .simulated(on: self) }

    /// What a store reads and writes.
    var fileSystem: any FileSystem { disk }

    // MARK: Power

    /// The machine goes off. From now on every call of a store on this disk fails.
    public func cutPower() {
        disk.cutPower()
    }

    /// Whether the power was cut.
    public var isOff: Bool { disk.isOff }

    /// A disk with what a power cut at this moment may leave. The seed chooses; the same seed leaves the
    /// same. All that was acknowledged by a store that is `.synced` is there with every seed.
    public func restart(seed: UInt64 = 0) -> SimulatedDisk {
        SimulatedDisk(
            disk.afterPowerCut(.random(seed: seed)),
            notes: notes,
            history: "power cut behind operation \(disk.operationCount), survivors \(seed)"
        )
    }

    /// A disk with all that was written, as the death of the process leaves it.
    public func restartProcess() -> SimulatedDisk {
        SimulatedDisk(
            disk.afterKill(),
            notes: notes,
            history: "killed behind operation \(disk.operationCount)"
        )
    }

    // MARK: Faults

    /// Whether there is no room for another byte. Saves fail with `.diskFull` until it is false again.
    public var isFull: Bool {
        get { disk.capacity != nil }
        set { disk.capacity = newValue ? disk.usedBytes : nil }
    }

    /// The next sync of a file fails. Like a real disk, it drops what it was to make stable and claims
    /// success the next time.
    public func failNextSync() {
        disk.fail(.nth(.sync, 0), code: EIO)
    }

    // MARK: Notes

    /// Writes down what the test wants to know after a crash, such as what was acknowledged. No power cut
    /// takes it.
    public func note(_ text: String) {
        written.withLock { $0.append(text) }
    }

    /// What was written down, in order.
    public var notes: [String] { written.withLock { $0 } }

    // MARK: Every crash point

    /// Runs `body` on a new disk again and again, with the power cut before its first, second, … operation
    /// on the disk, and hands what is left to `verify`, until `body` gets to its end.
    ///
    /// `body` should do the same each time, one call after the other. What it throws once the power is off
    /// is expected and ignored; all else is rethrown. The time is the square of the number of operations.
    ///
    /// - Parameters:
    ///   - survivors: How many of the disks that a power cut may leave are tried at each point.
    /// - Returns: How many disks were verified.
    /// - Throws: `CrashPointFailure` around what `body` or `verify` throws.
    @discardableResult
    public static func forEveryCrashPoint(
        survivors: Int = 6,
        _ body: (SimulatedDisk) async throws -> Void,
        verify: (SimulatedDisk) async throws -> Void
    ) async throws(CrashPointFailure) -> Int {
        var count = 0
        for operation in 0... {
            let disk = SimulatedDisk()
            disk.disk.cutPower(beforeOperation: operation)
            do {
                try await body(disk)
            } catch  where disk.isOff {
                // The machine went off under it.
            } catch {
                throw CrashPointFailure(place: "before any power cut", cause: error)
            }
            for seed in 0..<UInt64(max(1, survivors)) {
                let left = disk.restart(seed: seed)
                do {
                    try await verify(left)
                } catch {
                    throw CrashPointFailure(place: left.history, cause: error)
                }
                count += 1
            }
            guard disk.isOff else { break }
        }
        return count
    }
}

/// A test failed after one of the crashes of `SimulatedDisk.forEveryCrashPoint`.
public struct CrashPointFailure: Error, CustomStringConvertible {
    /// The crash point and what survived.
    public let place: String
    /// What was thrown.
    public let cause: any Error

    public var description: String { "\(place): \(cause)" }
}

extension StoreConfiguration {
    /// The defaults, with a simulated disk in the place of the operating system's.
    public static func simulated(on disk: SimulatedDisk) -> StoreConfiguration {
        var configuration = StoreConfiguration()
        configuration.fileSystem = disk.fileSystem
        // So that a full disk fails the next save and not one of the later ones.
        configuration.writesAhead = false
        return configuration
    }
}

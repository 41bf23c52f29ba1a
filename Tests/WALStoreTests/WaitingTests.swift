import Foundation
import LogStorage
import TestSupport
import Testing

@testable import WALStore

/// Nobody who reads waits for the disk, however many save and however slow it is.
@Suite(.serialized) struct WaitingTests {
    /// How long calls took, in milliseconds.
    private struct Waits: CustomStringConvertible {
        private var all: [Double] = []

        mutating func measure(_ body: () async throws -> Void) async rethrows {
            let start = ContinuousClock.now
            try await body()
            all.append((ContinuousClock.now - start) / .milliseconds(1))
        }

        func percentile(_ part: Double) -> Double {
            let sorted = all.sorted()
            return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }

        var description: String {
            func text(_ part: Double) -> String { String(format: "%.3f", percentile(part)) }
            return "\(all.count) finds, p50 \(text(0.5)) ms, p99 \(text(0.99)) ms, longest \(text(1)) ms"
        }
    }

    /// Finds at random for as long as the savers of all stores save.
    private static func waits(_ stores: [Notes], saversPerStore: Int, saves: Int) async throws -> Waits {
        let (done, savers) = (Counter(), stores.count * saversPerStore)
        return try await withThrowingTaskGroup(of: Waits?.self) { group in
            for (number, store) in stores.enumerated() {
                for saver in 0..<saversPerStore {
                    group.addTask {
                        for save in 0..<saves { try await store.save(Note("n\(saver)", "\(number) \(save)")) }
                        done.add()
                        return nil
                    }
                }
            }
            group.addTask {
                var waits = Waits()
                while done.value < savers {
                    for store in stores.shuffled().prefix(10) {
                        await waits.measure { _ = await store.find(by: "n0") }
                    }
                    try await Task.sleep(for: .milliseconds(1))
                }
                return waits
            }
            return try await group.reduce(into: Waits()) { if let waits = $1 { $0 = waits } }
        }
    }

    private static func disk(syncsTake duration: Duration) -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.whileSyncing { BlockingPause.wait(duration) }
        return disk
    }

    // Each in a process of its own: here the other tests have the threads.

    /// The pool of threads has as many as there are processors: on a machine with two, one sync that held each
    /// would hold everyone.
    @Test func aHundredStoresThatSaveAtOnceStillAnswerReads() async {
        await #expect(processExitsWith: .success) {
            let stores = try (0..<100).map { _ in
                try open(on: WaitingTests.disk(syncsTake: .milliseconds(20)))
            }
            let waits = try await WaitingTests.waits(stores, saversPerStore: 2, saves: 10)
            print("100 stores, syncs of 20 ms, \(ProcessorCount.current) threads: \(waits)")
            #expect(waits.percentile(0.99) < 250, "only a loaded machine takes so long")
            for store in stores { #expect(await store.statistics.syncs >= 10) }
        }
    }

    @Test func sixtyFourTasksThatSaveDoNotHoldUpReads() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try open(in: directory)
            let waits = try await WaitingTests.waits([store], saversPerStore: 64, saves: 150)
            print("64 savers with real syncs: \(waits)")
            #expect(waits.percentile(0.99) < 250, "only a loaded machine takes so long")
            #expect(await store.statistics.syncs < 64 * 150)
        }
    }

    @Test func aSyncThatTakesASecondHoldsUpNoRead() async {
        await #expect(processExitsWith: .success) {
            let store = try open(on: WaitingTests.disk(syncsTake: .seconds(1)))
            let waits = try await WaitingTests.waits([store], saversPerStore: 3, saves: 1)
            print("Syncs of one second: \(waits)")
            // Were they to wait for it, each would, and there would be few.
            #expect(waits.percentile(0.9) < 500)
        }
    }
}

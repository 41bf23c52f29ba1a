import Dispatch
import LogStorage
import TestSupport
import Testing

@Suite struct SyncExecutorTests {
    /// An actor that blocks as one with files does.
    private actor Worker {
        private let executor = SyncExecutor(label: "test")
        private(set) var order: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func append(_ number: Int) {
            order.append(number)
        }

        func wait(for gate: DispatchSemaphore) {
            gate.wait()
        }

        func sync(_ file: any StorageFile) throws {
            try file.sync()
        }
    }

    @Test func jobsRunInTheOrderOfTheirCalls() async {
        let worker = Worker()
        for number in 0..<200 { await worker.append(number) }
        #expect(await worker.order == Array(0..<200))
    }

    @Test func everyBlockedWorkerLeavesTheCooperativePoolFree() async {
        // More than any machine's pool has threads: were one of them held for each, nothing would run.
        let gates = (0..<100).map { _ in DispatchSemaphore(value: 0) }
        let workers = gates.map { _ in Worker() }
        await withTaskGroup(of: Void.self) { group in
            for (worker, gate) in zip(workers, gates) { group.addTask { await worker.wait(for: gate) } }
            let sum = await withTaskGroup(of: Int.self) { inner in
                for number in 0..<1000 { inner.addTask { number } }
                return await inner.reduce(0, +)
            }
            #expect(sum == 499_500)
            for gate in gates { gate.signal() }
        }
    }

    @Test func aStalledSyncHoldsUpNoReader() async throws {
        let disk = SimulatedDisk()
        disk.setContents("/d/f", Array("text".utf8))
        let file = try #require(try disk.openForWriting("/d/f"))
        let worker = Worker()
        disk.stallSyncs()
        async let synced: Void = worker.sync(file)
        try await disk.waitForStalledSyncs()
        #expect(try file.text() == "text")
        #expect(disk.syncCount == 0)
        disk.releaseSyncs()
        try await synced
        #expect(disk.syncCount == 1)
    }
}

import Foundation
import Messages
import Testing
import WALStore

@Suite struct DaemonTests {
    @Test(.timeLimit(.minutes(1))) func aDaemonThatIsKilledUnderLoadHasLostNothingThatItCalledSaved()
        async throws
    {
        let scratch = try Scratch()
        let client = DaemonClient(scratch.url, compactAt: 40_000)
        let work = Task { await client.work() }
        let kills = 5
        for _ in 0..<kills {
            let before = client.saved
            while client.saved < before + 200 { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<50)))
            client.kill()
        }
        client.stop()
        await work.value

        let store = try MessageStore.open(scratch.url, configuration: StoreConfiguration())
        let found = Dictionary(uniqueKeysWithValues: await store.loadAll().map { ($0.id, $0) })
        #expect(store.recovery.bytesCut == 0, "the last daemon has closed its store")
        try await store.close()
        #expect(client.faults + client.faults(in: found) == [])
        #expect(client.saved > kills * 200)
        print("daemon: \(client.saved) requests saved over \(kills) kills")
    }
}

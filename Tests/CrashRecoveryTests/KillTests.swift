import CrashCampaigns
import Foundation
import LogStorage
import ProcessCampaigns
import TestSupport
import Testing
import WALStore

@Suite(.serialized) struct KillTests {
    private typealias Store = LocalRepository<LabItem>

    @Test func killsAtRandomMomentsLoseNothingThatWasAcknowledged() async throws {
        let kills = Effort.count(4, release: 20, full: 200)
        var campaign = KillCampaign(try BuiltProgram.path("crashlab"), seed: 0)
        try await campaign.run(stores: 10, killsOfEach: kills)
        print(campaign.description)
        #expect(campaign.faults == [])
        #expect(campaign.kills == 10 * kills)
        #expect(campaign.kills - campaign.killsBeforeOpen > campaign.kills / 4)
        #expect(campaign.acknowledged > campaign.kills * 5 / 2)
    }

    @Test func killsWhileCompactingLoseNothingAndLeaveNothing() async throws {
        let kills = Effort.count(8, release: 50, full: 500)
        var campaign = KillCampaign(try BuiltProgram.path("crashlab"), seed: 100, compactAt: 3_000)
        try await campaign.run(stores: 10, killsOfEach: kills)
        print(campaign.description)
        #expect(campaign.faults == [])
        #expect(campaign.kills == 10 * kills)
        #expect(campaign.generations > Effort.count(9, release: 20, full: 20))
        #expect(campaign.interruptedCompactions > Effort.count(2, release: 50, full: 500))
    }

    @Test func aStoreThatAnotherProcessHoldsIsRefusedByItsPIDUntilThatProcessDies() async throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path, directoryHint: .isDirectory)
        let output = "\(directory.path)/output"
        let child = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(try await ChildProcess.hasSaid("open", in: output))
        do {
            _ = try Store(directory: url)
            Issue.record("two processes have one store open")
        } catch {
            #expect(error.code == .inUse)
            #expect(error.message.contains("process \(child.pid) "), "\(error)")
            #expect(!error.message.contains("this one"))
        }
        child.kill()
        _ = await child.wait()
        let store = try Store(directory: url)
        try await store.close()
    }

    @Test func aStoreThatThisProcessHoldsIsRefusedToAnother() async throws {
        let directory = try TemporaryDirectory()
        let output = "\(directory.path)/output"
        let store = try Store(directory: URL(filePath: directory.path, directoryHint: .isDirectory))
        let refused = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(await refused.wait() == 1)
        let said = try fileText(output)
        #expect(said.hasPrefix("error ") && said.contains("[inUse]"), "\(said)")
        #expect(said.contains("process \(ProcessInfo.processInfo.processIdentifier) "), "\(said)")
        try await store.close()
        let accepted = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(try await ChildProcess.hasSaid("open", in: output))
        accepted.kill()
        _ = await accepted.wait()
    }
}

import CrashCampaigns
import ProcessCampaigns
import TestSupport
import Testing

/// L7 at single system calls, with `strace`.
@Suite(.serialized) struct SystemCallTests {
    @Test func aDeathOrAnErrorAtAnySystemCallLosesNothingThatWasAcknowledged() async throws {
        let lives = Effort.count(12, release: 160, full: 3_500)
        #if DEBUG
            if !Effort.isFull { print("without optimization only \(lives) of 160 lives") }
        #endif
        try await run(lives: lives, seed: 7)
    }

    @Test func anInterruptedSystemCallIsMadeAgainAndNobodyNotices() async throws {
        let lives = Effort.count(6, release: 40, full: 700)
        let campaign = try await run(lives: lives, seed: 11, only: [.error("EINTR")])
        #expect(campaign?.failedCalls ?? 0 == 0)
    }

    @discardableResult
    private func run(
        lives: Int,
        seed: UInt64,
        only effects: [SystemCallFault.Effect]? = nil,
        name: String = #function
    ) async throws -> SystemCallCampaign? {
        var campaign = SystemCallCampaign(try CrashLab.path(), seed: seed)
        do {
            try await campaign.run(lives: lives, only: effects)
        } catch let missing as Unavailable {
            print("SKIPPED \(name): \(missing)")
            return nil
        }
        print(campaign.description)
        #expect(campaign.faults == [])
        #expect(campaign.lives == lives)
        #expect(campaign.injectedCount > lives / 4, "many of the calls have to be reached")
        return campaign
    }
}

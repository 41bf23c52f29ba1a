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
        let campaign = try await run(lives: lives, seed: 7)
        if let campaign, lives >= 160 { #expect(campaign.laterDeaths > 10, "deaths at later calls too") }
    }

    @Test func anInterruptedSystemCallIsMadeAgainAndNobodyNotices() async throws {
        let lives = Effort.count(6, release: 40, full: 700)
        let campaign = try await run(lives: lives, seed: 11, only: [.error("EINTR")])
        #expect(campaign?.failedCalls ?? 0 == 0)
    }

    /// Symptom: opening failed with "Interrupted system call" where a signal came while a directory was opened.
    /// Cause: of all calls that open something, `opendir` alone was not made again.
    /// Must stay true: EINTR is retried wherever it can come.
    @Test func aListingThatIsInterruptedIsMadeAgain() async throws {
        for number in [3, 7] {
            let scratch = try TemporaryDirectory()
            var life = WriterRun(
                directory: "\(scratch.path)/store",
                seed: 1,
                end: .systemCall(SystemCallFault(.openat, .error("EINTR"), at: number))
            )
            life.calls = 1
            do {
                let outcome = try await life.run(BuiltProgram.path("crashlab"), scratch: scratch.path)
                #expect(outcome.isInjected && outcome.report.isClosed, "\(outcome)")
            } catch let missing as Unavailable {
                return print("SKIPPED \(#function): \(missing)")
            }
        }
    }

    @discardableResult
    private func run(
        lives: Int,
        seed: UInt64,
        only effects: [SystemCallFault.Effect]? = nil,
        name: String = #function
    ) async throws -> SystemCallCampaign? {
        var campaign = SystemCallCampaign(try BuiltProgram.path("crashlab"), seed: seed)
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

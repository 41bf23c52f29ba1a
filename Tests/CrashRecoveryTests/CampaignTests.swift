import CrashCampaigns
import Testing

/// The layers of the crash suite that run on the engine and a simulated disk; see Docs/CrashTesting.md.
@Suite(.serialized) struct CampaignTests {
    private func expectPassed(_ campaign: Campaign) async -> Campaign.Report {
        let report = await campaign.run()
        print(CampaignTable([report]).text)
        for failure in report.tally.failures { Issue.record("\(failure.shrunk().report)") }
        #expect(report.missing.isEmpty, "\(campaign.layer.rawValue) injected nothing of this")
        return report
    }

    @Test func l1EveryShortSequenceSurvivesEveryCrashPoint() async {
        let length = Effort.count(2, release: 3, full: 5)
        let count = Layer.sequenceCount(length: length)
        let report = await expectPassed(Campaign(.sequences, .units(count)))
        #expect(report.tally.units == count || !report.tally.failures.isEmpty)
    }

    @Test func l2SeededWorkloadsSurviveAMillionDistinctCrashStates() async {
        let goal = Effort.count(4_000, release: 1_000_000, full: 5_000_000)
        let report = await expectPassed(Campaign(.workloads, .distinctStates(goal)))
        #expect(report.tally.distinct.count >= goal)
    }

    @Test func l3AnErrorOfEveryCallAndThenACrashLosesNothing() async {
        _ = await expectPassed(Campaign(.faults, .units(Effort.count(1, release: 20, full: 200))))
    }

    @Test func l4ACrashInsideRecoveryOfACrashLosesNothing() async {
        _ = await expectPassed(Campaign(.recovery, .units(Effort.count(6, release: 64, full: 2_000))))
    }

    @Test func l6EveryOrderOfTasksKeepsWhatIsAcknowledgedAndAnswersEveryone() async {
        _ = await expectPassed(
            Campaign(.schedules, .units(Effort.count(200, release: 10_000, full: 1_000_000)))
        )
    }

    @Test func l5EveryDamageToStableBytesGivesTheStateOrAnErrorAndTheInspectorAgrees() async {
        _ = await expectPassed(Campaign(.damage, .units(Effort.count(2, release: 2, full: 20))))
    }
}

import CrashCampaigns
import Testing

/// A suite that finds nothing proves nothing: each planted fault has to be caught.
@Suite struct SabotageTests {
    @Test func l11EveryPlantedFaultIsCaught() async {
        // Without optimization one in five, and the other four are said to be left out.
        let step = Effort.count(5, release: 1, full: 1)
        let chosen = Sabotage.allCases.enumerated().filter { $0.offset % step == 0 }.map(\.element)
        let catches = await SabotageHunt.hunt(chosen)
        print(SabotageHunt.table(catches))
        if step > 1 {
            print("\(Sabotage.allCases.count - chosen.count) planted faults are left to release builds.")
        }
        for caught in catches where caught.layer == nil {
            Issue.record("nothing catches \(caught.sabotage.rawValue), after \(caught.states) states")
        }
        #expect(Sabotage.allCases.count >= 15)
    }

    @Test func aFailureIsShrunkAndItsCommandReproducesIt() throws {
        let caught = SabotageHunt.hunt(.saysSyncedTooEarly)
        let failure = try #require(caught.failure)
        let shrunk = failure.shrunk()
        #expect(shrunk.unit.steps.count <= failure.unit.steps.count)
        #expect(shrunk.unit.command.contains("crashlab replay --layer \(shrunk.unit.layer.rawValue) --seed "))
        var tally = Tally()
        shrunk.unit.layer.run(shrunk.unit, &tally)
        #expect(tally.failures.first?.message == shrunk.message)
        var sound = shrunk.unit
        sound.sabotage = nil
        tally = Tally()
        sound.layer.run(sound, &tally)
        #expect(tally.failures.isEmpty, "without the planted fault: \(tally.failures)")
    }
}

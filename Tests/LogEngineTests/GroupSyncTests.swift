import CrashCampaigns
import LogEngine
import TestSupport
import Testing

@Suite struct GroupSyncTests {
    @Test func aSyncServesWhoJoinedBeforeItBeganAndNobodyElse() {
        var group = GroupSync<Int>()
        #expect(!group.isRunning && !group.hasNext && group.end().isEmpty)
        group.join(1)
        group.join(2)
        #expect(group.hasNext && !group.isRunning)
        group.begin()
        #expect(group.isRunning && !group.hasNext)
        group.join(3)
        #expect(group.hasNext)
        #expect(group.end() == [1, 2])
        #expect(!group.isRunning && group.hasNext)
        group.begin()
        #expect(group.end() == [3])
        #expect(!group.hasNext)
    }

    @Test func aFailureReachesEveryWaiterInOrder() {
        var group = GroupSync<Int>()
        group.join(1)
        group.begin()
        group.join(2)
        group.join(3)
        #expect(group.fail() == [1, 2, 3])
        #expect(!group.isRunning && !group.hasNext && group.fail().isEmpty)
        group.join(4)
        group.begin()
        #expect(group.end() == [4])
    }

    @Test func everyWaiterIsServedExactlyOnceWhateverTheOrder() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var group = GroupSync<Int>()
            var joined = 0
            var served: [Int] = []
            var coveredByRunning = 0
            for _ in 0..<200 {
                switch random.below(5) {
                case 0 where !group.isRunning:
                    group.begin()
                    coveredByRunning = joined
                case 1 where group.isRunning:
                    let waiters = group.end()
                    served += waiters
                    #expect(served.count == coveredByRunning, "seed \(seed)")
                case 2 where random.oneIn(10):
                    served += group.fail()
                    #expect(served.count == joined, "seed \(seed)")
                default:
                    group.join(joined)
                    joined += 1
                }
                #expect(group.hasNext == (joined > max(served.count, group.isRunning ? coveredByRunning : 0)))
            }
            served += group.fail()
            #expect(served == Array(0..<joined), "seed \(seed)")
        }
    }
}

import CrashCampaigns
import LogStorage
import TestSupport
import Testing

/// L10: the inputs that the fuzzer has kept, and those that it failed on, judged as it does.
@Suite struct FuzzCorpusTests {
    private static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + (parts + ["Fixtures", "fuzz"]).joined(separator: "/")
    }()

    @Test(arguments: Fuzzing.allCases)
    func everyInputThatWasKeptIsJudgedAsItHasToBe(_ fuzzing: Fuzzing) throws {
        let system = POSIXFileSystem()
        let folder = "\(Self.folder)/\(fuzzing.rawValue)"
        let names = try #require(try system.names(in: folder)).sorted()
        #expect(names.count >= 40)
        for name in names {
            let path = "\(folder)/\(name)"
            let file = try #require(try system.openForReading(path))
            do {
                try fuzzing.judge(file.bytes(in: 0..<file.length(), path: path))
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    @Test func theFilesOfAStoreCanBeJoinedAndSplitAgain() {
        let files: [String: [UInt8]] = [
            "log-0000000001.jsonl": Array("a\n\nb".utf8), "snapshot-0000000012.jsonl": [],
            "snapshot-0000000002.jsonl.tmp": [0x0A], "quarantine/0000000003": Array("@".utf8),
        ]
        #expect(StoreBytes.files(in: StoreBytes.joined(files)) == files)
        #expect(StoreBytes.files(in: Array("no title".utf8)).isEmpty)
    }

    @Test func aMutatedLineKeepsAChecksumThatHolds() {
        var log = LogBuilder()
        log.header()
        for index in 0..<6 { log.put("id\(index)", "{\"n\":\(index)}") }
        var valid = 0
        for seed in 0..<200 as Range<UInt64> {
            var mutator = LineMutator(seed: seed)
            let mutated = mutator.mutate(log.bytes)
            valid += ByteFile(mutated).items().validLines.count
        }
        #expect(valid > 200 * 4, "most lines pass the first test of a line")
    }
}

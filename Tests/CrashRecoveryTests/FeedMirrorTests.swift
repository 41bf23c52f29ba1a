import CrashCampaigns
import Foundation
import TestSupport
import Testing

/// What a life of the feed's reader said.
private struct Said {
    var words: [Substring: Substring] = [:]

    init(_ text: String) {
        let all = text.split { $0 == " " || $0 == "\n" }
        for index in stride(from: 0, to: all.count - 1, by: 2) { words[all[index]] = all[index + 1] }
    }

    subscript(name: Substring) -> Int { words[name].flatMap { Int($0) } ?? -1 }
}

@Suite struct FeedMirrorTests {
    private func life(_ directory: TemporaryDirectory, changes: Int, stop: Int) async throws -> Said {
        let output = "\(directory.path)/output"
        let child = try ChildProcess(
            BuiltProgram.path("crashlab"),
            ["feed", directory.path, "\(changes)", "\(stop)"],
            output: output
        )
        let code = await child.wait()
        let text = try fileText(output)
        #expect(code == 0, "\(text)")
        return Said(text)
    }

    @Test func aReaderFarBehindTakesEachChangeOnceInConstantMemoryAlsoAcrossARelaunch() async throws {
        let count = Effort.count(10_000, release: 100_000, full: 1_000_000)
        let directory = try TemporaryDirectory()
        let first = try await life(directory, changes: count, stop: count * 2 / 5)
        #expect(first["number"] == count * 2 / 5)
        let second = try await life(directory, changes: 0, stop: .max)
        // The records of the first life, and a few that the second has written itself.
        #expect(second["number"] > count)
        #expect(second["changes"] == second["number"], "each number once")
        for said in [first, second] {
            #expect(said["resets"] == 0 && said["faults"] == 0, "\(said.words)")
            #expect(said["compactions"] > 0, "\(said.words)")
            #if os(Linux)
                let grown = said["peak"] - said["start"]
                #expect(said["start"] > 0)
                if Effort.isSanitized {
                    print("SKIPPED: the memory of a feed: a sanitizer keeps what is given back")
                } else {
                    #expect(grown < 32 << 20, "\(grown) bytes more than at the start")
                }
            #endif
        }
        #expect(second.words["equal"] == "true")
        print(
            "a feed over \(second["changes"]) changes, resident "
                + "\(first["start"] >> 10) to \(first["peak"] >> 10) KiB, after the relaunch "
                + "\(second["start"] >> 10) to \(second["peak"] >> 10) KiB, "
                + "\(first["compactions"] + second["compactions"]) compactions"
        )
    }
}

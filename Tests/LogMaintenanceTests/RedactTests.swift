import CrashCampaigns
import Foundation
import LogFormat
import LogInspection
import LogStorage
import TestSupport
import Testing

/// A copy without contents shows the same faults.
struct RedactTests {
    /// What `verify --json` says, without the checksums, which cannot stay.
    private func findings(_ tool: Tool, _ store: String) throws -> [[String: String]] {
        try tool("verify", store, "--json").objects().map { object in
            object.filter { !["expected", "found"].contains($0.key) }.mapValues { value in
                "\(value)".split(separator: store).joined(separator: "STORE")
            }
        }
    }

    /// Numbers, times, kinds and lengths of all records.
    private func shape(_ tool: Tool, _ store: String) throws -> [String] {
        try tool("dump", store, "--json").objects().map { object in
            [
                "file", "line", "offset", "seq", "at", "op", "synced", "more", "schema", "torn",
                "insideDamagedLine",
            ]
            .map { "\(object[$0] ?? "-")" }.joined(separator: " ")
        }
    }

    private func redacted(_ disk: SimulatedDisk) throws -> Tool.Result {
        let tool = Tool.on(disk)
        let before = disk.contentsOfStore()
        let result = tool("redact", "/store", "--out", "/out", "--json")
        #expect(disk.contentsOfStore() == before)
        guard result.code == 0 else { return result }
        #expect(try findings(tool, "/out") == findings(tool, "/store"))
        #expect(try shape(tool, "/out") == shape(tool, "/store"))
        return result
    }

    @Test(arguments: Fixture.all)
    func everyVectorKeepsItsFaultsAndLosesItsContents(_ fixture: Fixture) throws {
        let disk = try fixture.disk()
        let result = try redacted(disk)
        #expect(result.code == 0, "\(result.diagnostics)")
        #expect(try result.summary()["verdict"] as? String == fixture.verdict)
        let copy = disk.text(in: "/out")
        // All that the fixtures' values and ids are made of.
        for secret in ["title", "one", "two", "three", "q-0", "é", "uno"] {
            #expect(!copy.contains(secret), "\(secret)")
        }
    }

    @Test func everyFlippedByteKeepsItsVerdict() throws {
        var log = LogBuilder()
        log.header()
        log.put("Erika", #"{"name":"Erika Mustermann"}"#)
        log.put("Hans", #"{"name":"Hans Muster"}"#, synced: SequenceNumber(1))
        log.delete("Erika")
        log.batch([("x", "12345"), ("yy", "{\"crc\":\"00000000\",\"seq\":9}")])
        log.mark()
        let step = Effort.count(5, release: 1, full: 1)
        for (turn, index) in stride(from: 0, to: log.bytes.count, by: step).enumerated() {
            for flip in [[0x01, 0x80, 0x2A][turn % 3] as UInt8] {
                var bytes = log.bytes
                bytes[index] ^= flip
                let disk = SimulatedDisk.holding(["log-0000000001.jsonl": bytes])
                let result = try redacted(disk)
                #expect(result.code == 0, "byte \(index) ^ \(flip): \(result.diagnostics)")
                let copy = disk.text(in: "/out")
                for secret in ["Erik", "rika", "Must", "Hans", "2345"] {
                    #expect(!copy.contains(secret), "byte \(index) ^ \(flip): \(secret)")
                }
            }
        }
    }

    @Test func cutAndJoinedLinesKeepTheirVerdict() throws {
        var log = LogBuilder()
        log.header()
        for number in 1...4 { log.put("id-\(number)", "{\"secret\":\"\(number)\"}") }
        let lines = log.ranges.map { log[$0] }
        let cases: [[UInt8]] = [
            lines[0] + lines[1] + lines[3] + lines[4],
            lines[0] + lines[2] + lines[1] + lines[3],
            lines[0] + lines[1] + lines[1] + lines[2],
            lines[0] + lines[1] + lines[2].dropLast() + lines[3],
            lines[0] + lines[1].dropLast() + [0x0D, 0x0A] + lines[2],
            lines[0] + lines[1] + lines[2].prefix(60),
            lines[0] + lines[1] + [UInt8](repeating: 0, count: 40) + lines[2],
            lines[0] + lines[1] + Array("a letter with a secret\n".utf8) + lines[2],
            lines[0] + lines[1] + LogBuilder.line(members: Array(#""seq":2,"at":1,"op":"secret"}"#.utf8))
                + lines[2],
            LogBuilder.line(members: Array(#""format":2,"secret":1}"#.utf8)) + lines[1],
            lines[1] + lines[2],
            [],
        ]
        for (index, bytes) in cases.enumerated() {
            let disk = SimulatedDisk.holding(["log-0000000001.jsonl": bytes])
            let result = try redacted(disk)
            #expect(result.code == 0, "case \(index): \(result.diagnostics)")
            #expect(!disk.text(in: "/out").contains("secret"), "case \(index)")
        }
    }

    @Test func oneIDIsAlwaysReplacedAlikeAndTwoNeverAlike() throws {
        var log = LogBuilder()
        log.header()
        let ids =
            (0..<300).map { CanonicalID("i\($0)") }
            + (0..<94).map { CanonicalID(String(UnicodeScalar(0x20 + UInt8($0)))) }
            + (0..<200).map { CanonicalID($0 - 100) } + [
                CanonicalID(""), CanonicalID("é\"\n"), CanonicalID("long enough"),
            ]
        for _ in 0..<2 { for id in ids { log.put(id, "1") } }
        let disk = SimulatedDisk.holding(log)
        #expect(try redacted(disk).summary()["ids"] as? Int == Set(ids).count)
        let copies = try Tool.on(disk)("dump", "/out", "--json").objects().map {
            canonicalJSON($0["id"] ?? "")
        }
        #expect(Set(copies).count == Set(ids).count)
        #expect(Array(copies.prefix(ids.count)) == Array(copies.suffix(ids.count)))
    }

    @Test func thePlaceMustBeFreeAndOutside() throws {
        let disk = try Fixture.all[1].disk()
        let tool = Tool.on(disk)
        #expect(tool("redact", "/store").code == 64)
        #expect(tool("redact", "/store", "--out", "/store/copy").code == 64)
        #expect(tool("redact", "/none", "--out", "/out").code == 66)
        #expect(tool("redact", "/store", "--out", "/out").code == 0)
        #expect(tool("redact", "/store", "--out", "/out").code == 73)
    }

    @Test func anInterruptedCopyIsRemoved() throws {
        var log = LogBuilder()
        log.header()
        log.put("a", "\"\(String(repeating: "v", count: 600_000))\"")
        let disk = SimulatedDisk.holding(log)
        var tool = Tool.on(disk)
        let looks = Counter()
        // The first three are those of verify.
        tool.watch = ReadingWatch(show: nil, isInterrupted: { looks.next() > 4 })
        #expect(tool("redact", "/store", "--out", "/out").code == 130)
        #expect(try disk.names(in: "/out") ?? [] == [])
    }
}

extension SimulatedDisk {
    fileprivate func contentsOfStore() -> [String: [UInt8]] { files.filter { $0.key.hasPrefix("/store/") } }

    /// All files of a directory, as one text.
    fileprivate func text(in directory: String) -> String {
        files.filter { $0.key.hasPrefix(directory + "/") }.sorted { $0.key < $1.key }
            .map { String(decoding: $0.value, as: UTF8.self) }.joined()
    }
}

import LogFormat
import LogInspection
import LogStorage
import Testing

/// Beside a writer that goes on, a fault counts only when a second look finds it again.
struct LiveWriterTests {
    private let two = FileBuilder.log().put(1).put(2, synced: 1)
    private let log = MemoryFileSystem.path("log1")

    /// Runs `verify` and changes the files at each pause.
    private func verify(_ files: MemoryFileSystem, _ change: @escaping (Int) -> Void) -> (
        Tool.Result, pauses: Int
    ) {
        var pauses = 0
        let tool = Tool(fileSystem: files) {
            pauses += 1
            change(pauses)
        }
        let result = tool("verify", "s", "--json")
        return (result, pauses)
    }

    @Test func anAppendInFlightIsNotReported() throws {
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let whole = two.put(3)
        let (result, pauses) = verify(files) { _ in files.set(log, whole.bytes) }
        #expect(result.code == 0)
        #expect(pauses == 1)
        #expect(try objects(result.output).last?["lastSeq"] as? Int == 3)
    }

    @Test func aTornTailThatStaysIsReported() {
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let (result, pauses) = verify(files) { _ in }
        #expect(result.code == 1)
        #expect(pauses == Verification.looksBesideAWriter - 1)
    }

    /// Symptom: `stats` beside a writer reported a torn tail.
    /// Cause: on a busy machine the system stopped the writer in the midst of an append, for longer than the 20 ms
    /// between two looks. Must stay true: a torn tail has to stay for half a second.
    @Test func anAppendWhoseWriterRestsInItsMidstIsNotReported() throws {
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let whole = two.put(3)
        let (result, pauses) = verify(files) { pause in
            if pause == Verification.looksBesideAWriter - 1 { files.set(log, whole.bytes) }
        }
        #expect(result.code == 0)
        #expect(pauses == Verification.looksBesideAWriter - 1)
    }

    @Test func spaceThatIsWrittenAheadMayFillUpMeanwhile() throws {
        // The fault is the same each time, but not its bytes.
        let files = MemoryFileSystem(store: ["log1": two.raw([0, 0, 0, 0, 0x0A])])
        let (result, pauses) = verify(files) { pause in
            files.set(log, two.raw([UInt8(pause < 4 ? pause : 4), 0, 0, 0, 0x0A]).bytes)
        }
        #expect(result.code == 1)
        #expect(pauses == 3 + Verification.looksBesideAWriter)
    }

    @Test func aFaultThatChangesAtEachLookIsAnErrorAndNoVerdict() {
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let (result, pauses) = verify(files) { pause in
            files.set(log, two.raw(String(repeating: "x", count: pause)).bytes)
        }
        #expect(result.code == 74)
        #expect(pauses == 50 + Verification.looksBesideAWriter)
        #expect(result.output.isEmpty)
        #expect(result.diagnostics.contains("changed between every two looks"))
    }

    @Test func aRotationBetweenTwoLooksStartsThemAnew() throws {
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let (result, _) = verify(files) { pause in
            guard pause == 1 else { return }
            files.set(log, two.put(3).bytes)
            files.set(MemoryFileSystem.path("log2"), FileBuilder.log(2, first: 4).put(4).raw("torn").bytes)
        }
        #expect(result.code == 1)
        let fault = try #require(try objects(result.output).first)
        #expect(fault["file"] as? String == "log-0000000002.jsonl")
    }

    @Test func aFileThatVanishesAtEachLookIsAnError() {
        let files = MemoryFileSystem(
            ["s/log-0000000001.jsonl": two.bytes],
            directories: ["s": ["log-0000000002.jsonl"]]
        )
        let (result, _) = verify(files) { _ in }
        #expect(result.code == 74)
        #expect(result.diagnostics.hasPrefix("walstore: s/log-0000000002.jsonl changed while it was read"))
    }

    @Test func aSecondLookBeginsAtTheFault() throws {
        // Were the sound part read again, the new header would be a fault of its own.
        let files = MemoryFileSystem(store: ["log1": two.raw("{\"crc\":\"12")])
        let (result, _) = verify(files) { _ in
            var bytes = two.raw("{\"crc\":\"12").bytes
            bytes[0] = 0
            files.set(log, bytes)
        }
        #expect(result.code == 1)
    }
}

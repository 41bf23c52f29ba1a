import LogInspection
import LogStorage
import Testing

/// What is printed, byte for byte where programs and people rely on it.
struct OutputTests {
    private let tool = Tool()

    private func path(_ name: String) throws -> String { try #require(Vector.named(name)).path }

    @Test func verifyOfASoundStoreIsOneLine() throws {
        let path = try path("32")
        #expect(tool("verify", path).output == "\(path): sound, 3 files, 7 records, last sequence number 4\n")
        #expect(
            tool("verify", path, "--json").output
                == "{\"type\":\"summary\",\"verdict\":\"sound\",\"records\":7,\"lastSeq\":4,\"files\":3}\n"
        )
    }

    @Test func verifyOfACorruptStoreSaysWhatWhereWhyAndWhatHelps() throws {
        let path = try path("21")
        #expect(
            tool("verify", path).output == """
                log-0000000001.jsonl: line 3, offset 244, 118 bytes: corruption
                  The line's checksum does not hold; record 2 is lost. A later line says that what stood there was on stable storage.
                  The line says checksum 7e4fb067, its bytes have 0766cd00.
                  Leave the store as it is and restore a copy, or save what is sound into a new store: walstore repair \(path) --out \(path).saved
                \(path): corruption, 1 file, 2 records, last sequence number 3

                """
        )
        #expect(
            tool("verify", path, "--json").output == """
                {"type":"fault","file":"log-0000000001.jsonl","line":3,"offset":244,"length":118,"verdict":"corruption",\
                "reason":"The line's checksum does not hold; record 2 is lost. A later line says that what stood there \
                was on stable storage.","expected":"7e4fb067","found":"0766cd00","remedy":"Leave the store as it is and \
                restore a copy, or save what is sound into a new store: walstore repair \(path) --out \(path).saved"}
                {"type":"summary","verdict":"corruption","records":2,"lastSeq":3,"files":1}

                """
        )
    }

    @Test func verifyOfATornTailSaysThatNothingSyncedIsLost() throws {
        let lines = tool("verify", try path("14")).lines
        #expect(lines[0] == "log-0000000001.jsonl: line 4, offset 362, 700 bytes: torn tail")
        #expect(
            lines[2]
                == "  Open the store with its program, as ever: that cuts the file at byte 362. The 700 bytes cut hold nothing."
        )
        let fault = try #require(try objects(tool("verify", try path("12"), "--json").output).first)
        #expect(fault["expected"] as? String == nil)
        #expect((fault["remedy"] as? String)?.hasSuffix("No record known to be synced is lost.") == true)
    }

    @Test func dumpPrintsOneLineARecordAndRawPrintsTheFilesOwn() throws {
        let path = try path("06")
        #expect(
            tool("dump", path).output == """
                log-0000000001.jsonl
                    OFFSET         SEQ  TIME                      OP       ID  VALUE
                       137           1  2026-11-30T00:53:20.001Z  put      "q-001"  {"id":"q-001","title":"one"}
                       244           2  2026-11-30T00:53:20.002Z  mark
                       313           3  2026-11-30T00:53:20.003Z  put      "q-002"  {"id":"q-002","title":"two"}

                """
        )
        #expect(
            tool("dump", path, "--op", "mark", "--json").output
                == "{\"file\":\"log-0000000001.jsonl\",\"line\":3,\"offset\":244,\"seq\":2,\"at\":1796000000002,\"op\":\"mark\",\"synced\":1}\n"
        )
        #expect(
            tool("dump", path, "--op", "mark", "--raw").output
                == "{\"crc\":\"bd2ee8e2\",\"seq\":2,\"at\":1796000000002,\"synced\":1,\"op\":\"mark\"}\n"
        )
    }

    @Test func everyFilterOfDumpSelects() throws {
        let log = FileBuilder.log().put(1, "a").put(2, "b").delete(3, "a").put(4, "b").mark(5, synced: 4)
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": log]))
        let cases: [([String], [Int])] = [
            ([], [1, 2, 3, 4, 5]), (["--from", "3"], [3, 4, 5]), (["--to", "2"], [1, 2]),
            (["--from", "2", "--to", "3"], [2, 3]), (["--id", "a"], [1, 3]), (["--id", "\"a\""], [1, 3]),
            (["--op", "put"], [1, 2, 4]), (["--op", "delete"], [3]), (["--id", "b", "--from", "3"], [4]),
            (["--since", "2026-11-30T00:53:20.004Z"], [4, 5]),
            (["--until", "2026-11-30T00:53:20.002Z"], [1, 2]),
            (["--id", "1"], []), (["--from", "6"], []),
        ]
        for (arguments, numbers) in cases {
            let result = tool.run(["dump", "s", "--json"] + arguments)
            #expect(try objects(result.output).compactMap { $0["seq"] as? Int } == numbers, "\(arguments)")
            let raw = tool.run(["dump", "s", "--raw"] + arguments)
            #expect(raw.lines.count == numbers.count)
            #expect(raw.lines.allSatisfy { String(decoding: log.bytes, as: UTF8.self).contains($0 + "\n") })
        }
    }

    @Test func infoCountsLiveAndDeadBytes() throws {
        let path = try path("32")
        let object = try #require(try objects(tool("info", path, "--json").output).first)
        #expect(object["store"] as? String == FileBuilder.store)
        #expect(object["generation"] as? Int == 2)
        #expect(object["firstSeq"] as? Int == 1)
        #expect(object["lastSeq"] as? Int == 4)
        #expect(object["liveRecords"] as? Int == 4)
        #expect(object["liveBytes"] as? Int == 453)
        #expect(object["totalBytes"] as? Int == 1273)
        #expect((object["files"] as? [[String: Any]])?.map { $0["bytes"] as? Int } == [482, 546, 245])
        let text = tool("info", path).output
        #expect(text.contains("  last record  2026-11-30T00:53:20.004Z, 59 seconds ago\n"))
        #expect(text.contains("  numbers      1 to 4 in the logs\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func coloursAndBarsAreForTerminals() throws {
        let rich = Tool(isRich: true)
        #expect(rich("verify", try path("21")).output.contains("\u{1B}[31mcorruption\u{1B}[0m"))
        #expect(rich("info", try path("32")).output.contains("\u{2588}"))
        #expect(!rich("verify", try path("21"), "--json").output.contains("\u{1B}"))
    }

    @Test func nothingInAStoreReachesATerminalAsACommand() throws {
        let id = "x\u{1B}[31m\u{7F}\u{9B}2J\u{202E}\u{2028}\u{200B}é😀"
        let value = "{\"v\":\"\u{7F}\u{9B}31m\u{202E}\u{E0001}\"}\t\r"
        let log = FileBuilder.log().put(1, id, value: value)
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": log]))
        for arguments in [
            ["ls", "s", "--values"], ["dump", "s"], ["info", "s"], ["get", "s", id], ["get", "s", "\u{9B}"],
        ] {
            let result = tool.run(arguments)
            let dangerous = (result.output + result.diagnostics).unicodeScalars.filter { scalar in
                scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
                    || ["\u{202E}", "\u{2028}", "\u{200B}", "\u{E0001}"].contains(scalar)
            }
            #expect(dangerous.isEmpty, "\(arguments)")
        }
        #expect(tool("ls", "s").output.contains("\"x\\u001b[31m\\u007f\\u009b2J\\u202e\\u2028\\u200bé😀\""))
        #expect(tool("get", "s", id).output == "{\"v\":\"\\u007f\\u009b31m\\u202e\\udb40\\udc01\"}  \n")
        // For programs the bytes stay as they are.
        #expect(tool("get", "s", id, "--json").output.contains(value))
        #expect(tool("dump", "s", "--raw").output.unicodeScalars.contains("\u{9B}"))
        // Names on the command line are no better.
        #expect(!tool("verify", "s\u{1B}[2J").diagnostics.contains("\u{1B}"))
    }

    @Test func aReaderThatGoesAwayIsSuccess() throws {
        var numbers = FileBuilder.log().bytes
        for number in 1...3000 as ClosedRange<UInt64> {
            numbers += FileBuilder().put(number, "\(number)").bytes
        }
        let files = MemoryFileSystem(
            ["s/log-0000000001.jsonl": numbers + Array("torn".utf8)],
            directories: ["s": []]
        )
        for command in ["verify", "dump", "ls", "info"] {
            let inspector = Inspector(
                fileSystem: files,
                output: Output { _ in .success(false) },
                diagnostics: Output { _ in .success(true) },
                isRich: false,
                now: 0,
                pause: {}
            )
            #expect(inspector.run(try CommandParser.parse([command, "s"])) == .sound)
        }
    }

    @Test func outputThatCannotBeWrittenIsAnError() throws {
        let diagnostics = Collected()
        let inspector = Inspector(
            fileSystem: POSIXFileSystem(),
            output: Output { _ in .failure(StorageError(.write, "standard output", code: 28, reason: "full"))
            },
            diagnostics: Output { diagnostics.take($0) },
            isRich: false,
            now: 0,
            pause: {}
        )
        #expect(inspector.run(.verify(store: try path("02"), json: false)) == .inputOutput)
        #expect(diagnostics.text == "walstore: Could not write to standard output: full (errno 28).\n")
    }
}

import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

@Suite struct IndependentReaderTests {
    private struct Findings: Decodable {
        var records, batches, deletes, marks, said: Int
        var live: [String]
    }

    /// Saves, batches and deletes by 64 tasks at the same time, over two lives.
    private func write(to directory: TemporaryDirectory) async throws -> [String: String] {
        var texts: [String: String] = [:]
        for life in 0..<2 {
            let repository = try open(in: directory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for saver in 0..<64 {
                    group.addTask { try await Self.save(saver, life, repository) }
                }
                try await group.waitForAll()
            }
            texts = await repository.texts
            try await repository.close()
        }
        return texts
    }

    private static func save(_ saver: Int, _ life: Int, _ repository: Notes) async throws {
        var random = SeededGenerator(seed: UInt64(saver * 2 + life))
        for number in 0..<20 {
            let id = "\(saver)/\(random.below(4)) é\n\u{2028}\"\\"
            switch random.below(4) {
            case 0:
                try await repository.save(
                    contentsOf: (0...random.below(5)).map { Note("\(id) \($0)", "\(number)\r\n\0😀") }
                )
            case 1: try await repository.delete(id)
            default: try await repository.save(Note(id, "\(number) }\n{\"crc\":\""))
            }
        }
    }

    @Test func python3ReadsEveryLineThatConcurrentSaversWrote() async throws {
        guard let python = ChildProcess.find("python3") else {
            print("SKIPPED python3ReadsEveryLineThatConcurrentSaversWrote: python3 is not installed")
            return
        }
        let directory = try TemporaryDirectory()
        let texts = try await write(to: directory)
        let output = "\(directory.path)/output"
        let child = try ChildProcess(python, ["-c", independentReader, directory.log], output: output)
        let code = await child.wait()
        let said = try fileText(output)
        #expect(code == 0, "\(said)")
        let findings = try JSONDecoder().decode(Findings.self, from: Data(said.utf8))
        print(
            "python3: \(findings.records) records, \(findings.batches) batches, \(findings.deletes) deletes"
        )
        #expect(Set(findings.live) == Set(texts.keys))
        #expect(findings.marks == 2)
        #expect(findings.said == findings.records - 1)
        #expect(findings.batches > 100 && findings.deletes > 100)
    }

    @Test func theIndependentReaderFindsEveryFlippedByte() async throws {
        guard let python = ChildProcess.find("python3") else {
            print("SKIPPED theIndependentReaderFindsEveryFlippedByte: python3 is not installed")
            return
        }
        let directory = try TemporaryDirectory()
        let repository = try open(in: directory)
        try await repository.save(contentsOf: [Note("a", "1"), Note("b", "1")])
        try await repository.close()
        let file = try #require(try POSIXFileSystem().openForWriting(directory.log))
        let bytes = try file.bytes(in: 0..<file.length(), path: directory.log)
        for index in stride(from: 0, to: bytes.count, by: bytes.count / 12) {
            try file.write([bytes[index] ^ 4], at: UInt64(index))
            let child = try ChildProcess(
                python,
                ["-c", independentReader, directory.log],
                output: "\(directory.path)/output"
            )
            #expect(await child.wait() != 0, "byte \(index)")
            try file.write([bytes[index]], at: UInt64(index))
        }
    }

    @Test func jqParsesEveryLine() async throws {
        guard let jq = ChildProcess.find("jq") else {
            print("SKIPPED jqParsesEveryLine: jq is not installed")
            return
        }
        let directory = try TemporaryDirectory()
        _ = try await write(to: directory)
        let output = "\(directory.path)/output"
        let child = try ChildProcess(jq, ["-c", ".seq // .kind", directory.log], output: output)
        #expect(await child.wait() == 0)
        let lines = try fileText(output).split(separator: "\n")
        #expect(lines.first == "\"log\"")
        #expect(lines.dropFirst().map(String.init) == (1..<lines.count).map(String.init))
    }
}

import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

@Suite struct FilenameTests {
    @Test func everyBadNameIsRefusedAndMakesNoFile() async throws {
        let names = [
            "", ".json", "..", "../x", "x/..", "a/b", "/a", "a/", "/", "a\\b", "\\", "a\0b", "\0", "a\0.json",
            "a..b",
            "...", "..json", ".", "..json.json", "\u{301}/", "a/\u{301}b", String(repeating: "x", count: 201),
            String(repeating: "é", count: 101),
        ]
        let directory = try TemporaryDirectory()
        for name in names {
            let error = await storeError { _ = try Notes(directory: directory.url, filename: name) }
            #expect(error?.code == .invalidFilename, "\(name.debugDescription)")
        }
        #expect(try POSIXFileSystem().names(in: directory.path) == [])
    }

    @Test func everyPlainNameMakesAStoreOfThatName() async throws {
        let names = [
            ("data.json", "data.wal"), ("data", "data.wal"), ("a.b.json", "a.b.wal"),
            ("x.json.json", "x.json.wal"),
            ("ein Fräulein.json", "ein Fräulein.wal"), ("😀", "😀.wal"), (".hidden", ".hidden.wal"),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 200) + ".wal"),
        ]
        for (name, store) in names {
            let directory = try TemporaryDirectory()
            let repository = try Notes(directory: directory.url, filename: name)
            try await repository.save(Note("a"))
            try await repository.close()
            #expect(try POSIXFileSystem().names(in: directory.path) == [store], "\(name)")
        }
    }

    @Test func aURLThatIsNoFileIsRefused() async throws {
        let url = try #require(URL(string: "https://example.org/x"))
        #expect(await code { _ = try Notes(directory: url) } == .invalidFilename)
    }

    @Test func missingParentsAreMade() async throws {
        let directory = try TemporaryDirectory()
        let deep = directory.url.appending(path: "a/b/c", directoryHint: .isDirectory)
        let repository = try Notes(directory: deep)
        try await repository.save(Note("a"))
        try await repository.close()
        #expect(try POSIXFileSystem().kind(of: "\(directory.path)/a/b/c/data.wal") == .directory)
    }
}

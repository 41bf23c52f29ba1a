import LogStorage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What every file system must do, the real one and the simulated one alike.
@Suite struct FileSystemContractTests {
    @Test(arguments: TestedFileSystem.allCases)
    func missingThingsAreNilOrFalse(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            #expect(try system.names(in: "\(root)/none") == nil)
            #expect(try system.kind(of: "\(root)/none") == nil)
            #expect(try system.openForReading("\(root)/none") == nil)
            #expect(try system.openForWriting("\(root)/none") == nil)
            #expect(try system.openForReading("\(root)/none/deeper") == nil)
            #expect(try system.remove("\(root)/none") == false)
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func whatIsMissingButNeededIsAnError(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            expectError(ENOENT) { try system.create("\(root)/none/f", mode: .privateFile) }
            expectError(ENOENT) {
                try system.createDirectory("\(root)/none/d", mode: .privateDirectory)
            }
            expectError(ENOENT) { try system.rename("\(root)/none", to: "\(root)/some") }
            expectError(ENOENT) { try system.syncDirectory("\(root)/none") }
            expectError(ENOENT) { try system.lock("\(root)/none/l", mode: .privateFile, note: "") }
            expectError(ENOENT) { try system.freeSpace(at: "\(root)/none") }
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func filesAndDirectoriesAreToldApart(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("", at: "\(root)/f")
            #expect(try system.createDirectory("\(root)/d", mode: .privateDirectory))
            #expect(try system.kind(of: "\(root)/f") == .file)
            #expect(try system.kind(of: "\(root)/d") == .directory)
            expectError(ENOTDIR) { try system.names(in: "\(root)/f") }
            expectError(ENOTDIR) { try system.syncDirectory("\(root)/f") }
            expectError(ENOTDIR) { try system.openForReading("\(root)/f/g") }
            expectError(ENOTDIR) { try system.create("\(root)/f/g", mode: .privateFile) }
            expectError(EEXIST) {
                try system.createDirectory("\(root)/f", mode: .privateDirectory)
            }
            expectError(EISDIR) { try system.openForWriting("\(root)/d") }
            expectError(EISDIR) { try system.create("\(root)/d", mode: .privateFile) }
            expectError(EISDIR) { try system.rename("\(root)/f", to: "\(root)/d") }
            #expect(throws: StorageError.self) { try system.remove("\(root)/d") }
            expectError(EISDIR) {
                _ = try system.openForReading("\(root)/d")?.oneRead(at: 0, count: 1)
            }
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func namesAreThoseOfTheDirectoryAlone(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            #expect(try system.names(in: root) == [])
            for name in ["b", "a", ".c", "ä\u{2028}"] { try system.put("", at: "\(root)/\(name)") }
            _ = try system.createDirectory("\(root)/d", mode: .privateDirectory)
            try system.put("", at: "\(root)/d/inner")
            #expect(try system.names(in: root)?.sorted() == [".c", "a", "b", "d", "ä\u{2028}"])
            #expect(try system.names(in: "\(root)/d") == ["inner"])
            #expect(try system.names(in: "\(root)/d/") == ["inner"])
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aDirectoryIsMadeOnce(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            #expect(try system.createDirectory("\(root)/d", mode: .privateDirectory))
            try system.put("kept", at: "\(root)/d/f")
            #expect(try !system.createDirectory("\(root)/d", mode: .privateDirectory))
            #expect(try system.text(at: "\(root)/d/f") == "kept")
            try system.syncDirectory("\(root)/d")
            try system.syncDirectory(root)
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func creatingEmptiesAnExistingFile(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("old", at: "\(root)/f")
            let file = try system.create("\(root)/f", mode: .privateFile)
            #expect(try file.length() == 0)
            try file.write(Array("new".utf8), at: 0)
            #expect(try file.text() == "new", "a new file can be read too")
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func readsEndWithTheFile(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("0123456789", at: "\(root)/f")
            let file = try #require(try system.openForReading("\(root)/f"))
            #expect(try file.oneRead(at: 0, count: 10) == Array("0123456789".utf8))
            #expect(try file.oneRead(at: 7, count: 100) == Array("789".utf8))
            #expect(try file.oneRead(at: 10, count: 1) == [])
            #expect(try file.oneRead(at: 1 << 40, count: 1) == [])
            #expect(try file.oneRead(at: 0, count: 0) == [])
            #expect(try file.bytes(in: 2..<5, path: "f") == Array("234".utf8))
            #expect(try file.bytes(in: 10..<10, path: "f") == [])
            expectError(0) { try file.bytes(in: 8..<11, path: "f") }
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aWriteChangesItsRangeAndExtendsTheFile(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            let file = try system.create("\(root)/f", mode: .privateFile)
            try file.write(Array("abcdef".utf8), at: 0)
            try file.write(Array("XY".utf8), at: 2)
            #expect(try file.text() == "abXYef")
            try file.write(Array("gh".utf8), at: 5)
            #expect(try file.text() == "abXYegh")
            try file.write(Array("!".utf8), at: 9)
            #expect(try file.text() == "abXYegh\0\0!")
            try file.write([], at: 99)
            #expect(try file.length() == 10)
            try file.sync()
            #expect(try system.text(at: "\(root)/f") == "abXYegh\0\0!")
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aFileOpenForReadingCannotBeWritten(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("abc", at: "\(root)/f")
            let file = try #require(try system.openForReading("\(root)/f"))
            expectError(EBADF) { try file.write([1], at: 0) }
            expectError(EINVAL) { try file.truncate(to: 0) }
            try file.sync()
            #expect(try file.text() == "abc")
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func truncationCutsAndExtends(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            let file = try system.create("\(root)/f", mode: .privateFile)
            try file.write(Array("abcdef".utf8), at: 0)
            try file.truncate(to: 3)
            #expect(try file.text() == "abc")
            try file.truncate(to: 5)
            #expect(try file.text() == "abc\0\0", "what was cut does not come back")
            try file.truncate(to: 0)
            #expect(try file.length() == 0)
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aRenameReplacesTheNameAndNotTheOpenFile(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("old", at: "\(root)/f")
            let old = try #require(try system.openForReading("\(root)/f"))
            let new = try system.create("\(root)/f.tmp", mode: .privateFile)
            try new.write(Array("new".utf8), at: 0)
            try system.rename("\(root)/f.tmp", to: "\(root)/f")
            #expect(try system.names(in: root) == ["f"])
            #expect(try system.text(at: "\(root)/f") == "new")
            #expect(try old.text() == "old")
            try new.write(Array("er".utf8), at: 3)
            #expect(try system.text(at: "\(root)/f") == "newer", "the file goes with its name")
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func aRemovedFileIsThereForThoseWhoHoldIt(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("text", at: "\(root)/f")
            let file = try #require(try system.openForWriting("\(root)/f"))
            #expect(try system.remove("\(root)/f"))
            #expect(try system.kind(of: "\(root)/f") == nil)
            try file.write(Array("more".utf8), at: 4)
            try file.sync()
            #expect(try file.text() == "textmore")
            try system.put("other", at: "\(root)/f")
            #expect(try file.text() == "textmore")
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func thereIsFreeSpace(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            #expect(try system.freeSpace(at: root) > 0)
        }
    }
}

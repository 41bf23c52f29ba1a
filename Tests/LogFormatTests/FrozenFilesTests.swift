import Foundation
import LogFormat
import Testing

/// What was published about version 1 and may not change any more.
@Suite struct FrozenFilesTests {
    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func checksum(_ bytes: some Sequence<UInt8>) -> String {
        let value = Array(bytes).withUnsafeBytes { CRC32C.checksum($0) }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// `Fixtures/v1.frozen` has a line for each file: its CRC-32C, its length and its name. A new fixture is
    /// a new line there; an old one never changes, since that would hide what no longer opens.
    @Test func theFilesOfVersion1AreWhatTheyWere() throws {
        let fixtures = Self.package.appending(path: "Tests/Fixtures")
        let manifest = try String(contentsOf: fixtures.appending(path: "v1.frozen"), encoding: .utf8)
        let root = fixtures.appending(path: "v1")
        var found: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted() {
            var isDirectory: ObjCBool = false
            let path = root.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { continue }
            guard !isDirectory.boolValue else { continue }
            let bytes = try Data(contentsOf: URL(filePath: path))
            found.append("\(Self.checksum(bytes)) \(bytes.count) \(name)")
        }
        #expect(found.count > 40)
        #expect(Set(found) == Set(manifest.split(separator: "\n").map(String.init)))
    }

    @Test func everyLineThatTheFormatsPageShowsHolds() throws {
        let page = try String(
            contentsOf: Self.package.appending(path: "Docs/Format.md"),
            encoding: .utf8
        )
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("    {\"crc\":\"") }
            .map { Array($0.dropFirst(4).utf8) }
        #expect(lines.count > 8)
        for line in lines {
            let stated = String(decoding: line[8..<16], as: UTF8.self)
            #expect(stated == Self.checksum(line[18...]), "\(String(decoding: line, as: UTF8.self))")
        }
    }
}

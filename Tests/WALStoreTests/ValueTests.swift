import Foundation
import LogFormat
import TestSupport
import Testing
import WALStore

@Suite struct ValueTests {
    private struct Measure: Codable, Identifiable, Equatable {
        var id: Int
        var value: Double
    }

    /// Its id is made anew whenever it is decoded.
    private struct Forgetful: Codable, Identifiable {
        var id = UUID().uuidString
        var text: String

        private enum CodingKeys: String, CodingKey { case text }
    }

    /// Symptom: an import of such items made a store that could never be opened, and the file beside it
    /// was not looked at again.
    /// Cause: what was imported was compared as bytes only; nobody asked whether it decodes.
    /// Must stay true: an import that the next opening could not read is refused, and no store is made.
    @Test func anImportThatCouldNotBeReadBackIsRefusedAndMakesNoStore() async throws {
        let disk = SimulatedDisk()
        disk.setContents(Place.plainFile, Array(#"[{"text":"x"}]"#.utf8))
        for _ in 0..<2 {
            let error = await storeError { _ = try open(Forgetful.self, on: disk) }
            #expect(error?.code == .importFailed)
            #expect(error?.message.contains("coding keys") == true)
            #expect(!disk.paths.contains { $0.hasSuffix(".jsonl") })
        }
        var configuration = StoreConfiguration.on(disk)
        configuration.makeEncoder = {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return encoder
        }
        struct Camel: Codable, Identifiable { var id: Int, longName: String }
        disk.setContents(Place.plainFile, Array(#"[{"id":1,"longName":"x"}]"#.utf8))
        let wrong = await code {
            _ = try LocalRepository<Camel>(directory: Place.directory, configuration: configuration)
        }
        #expect(wrong == .importFailed)
        let right = try open(Camel.self, on: disk)
        #expect(right.recovery.origin == .imported(items: 1))
    }
}

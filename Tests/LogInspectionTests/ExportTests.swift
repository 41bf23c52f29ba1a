import Foundation
import LogFormat
import LogInspection
import Testing

/// Values as plain data.
struct ExportTests {
    private func export(_ log: FileBuilder, _ arguments: String...) -> Tool.Result {
        Tool(fileSystem: MemoryFileSystem(store: ["log1": log])).run(["export", "s"] + arguments)
    }

    private let log = FileBuilder.log()
        .put(1, "b", value: #"{"id":"b","n":1}"#).put(
            2,
            "a",
            value: #"{"id":"a","n":[1, 2],"t":"x,\"y\"\n"}"#
        )
        .put(3, "c", value: #"{"id":"c","n":null,"t":"\u00e9\ud83d\ude00"}"#).delete(4, "b")

    @Test func aValueALineByID() {
        let lines = [
            #"{"id":"a","n":[1, 2],"t":"x,\"y\"\n"}"#, #"{"id":"c","n":null,"t":"\u00e9\ud83d\ude00"}"#,
        ]
        #expect(export(log).lines == lines)
        #expect(export(log, "--json").lines == lines)
        #expect(export(log, "--at", "1").lines == [#"{"id":"b","n":1}"#])
    }

    @Test func oneArray() throws {
        let text = export(log, "--format", "json").output
        let array = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        #expect(array?.map { $0["id"] as? String } == ["a", "c"])
        #expect(export(FileBuilder.log(), "--format", "json").output == "[\n]\n")
    }

    @Test func aTableWithAColumnAMember() {
        #expect(
            export(log, "--format", "csv").output == """
                id,n,t
                a,"[1, 2]","x,""y""
                "
                c,,é😀

                """
        )
    }

    @Test func idsThatAreNotInTheValuesAndPlainValuesHaveTheirColumns() {
        let log = FileBuilder.log().put(1, "a", value: #"{"id":7,"n":1}"#).put(2, "b", value: "true")
            .put(3, "c", value: #""t""#)
        #expect(
            export(log, "--format", "csv").output == """
                id,value.id,n,value
                a,7,1,
                b,,,true
                c,,,t

                """
        )
    }

    @Test func aTableOfTooManyColumnsIsRefused() {
        let members = (0...10_000).map { "\"m\($0)\":0" }.joined(separator: ",")
        let result = export(FileBuilder.log().put(1, value: "{\(members)}"), "--format", "csv")
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        #expect(result.diagnostics.contains("--format jsonl"))
    }

    @Test func damageIsReportedBesideWhatCanBeRead() {
        let result = export(FileBuilder.log().put(1, value: "1").raw("torn"))
        #expect(result.code == 1)
        #expect(result.output == "1\n")
        #expect(result.diagnostics.contains("torn tail"))
    }
}

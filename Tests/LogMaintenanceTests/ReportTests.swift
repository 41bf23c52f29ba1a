import Foundation
import LogFormat
import LogInspection
import LogStorage
import TestSupport
import Testing

/// The page of a store.
struct ReportTests {
    private func page(_ disk: SimulatedDisk, _ arguments: String...) throws -> (String, Tool.Result) {
        let result = Tool.on(disk).run(["report", "/store", "--html", "/page.html"] + arguments)
        return (String(decoding: disk.contents(of: "/page.html") ?? [], as: UTF8.self), result)
    }

    /// Ids and values that try to leave their place in a page.
    static let hostile = [
        "</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"><svg onload=alert(3)>",
        "'--></style><b>", "&lt;b&gt;", "\u{202E}\u{1B}[2J", "</code></td></table></section>",
    ]

    static var hostileLog: LogBuilder {
        var log = LogBuilder()
        log.header()
        for text in hostile {
            let spelling = String(decoding: CanonicalID(text).spelling, as: UTF8.self)
            log.put(text, "{\(spelling):\(spelling)}")
            log.put(text, spelling)
        }
        return log
    }

    @Test(arguments: Fixture.all)
    func everyVectorHasAPage(_ fixture: Fixture) throws {
        let disk = try fixture.disk()
        let (page, result) = try page(disk, "--json")
        let codes: [String: Int32] = ["sound": 0, "tornTail": 1, "corruption": 2, "newerFormat": 3]
        #expect(result.code == codes[fixture.verdict])
        let summary = try result.summary()
        #expect(summary["verdict"] as? String == fixture.verdict)
        #expect(summary["bytes"] as? Int == page.utf8.count)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.contains("class=\"verdict \(fixture.verdict)\""))
        let live = try Tool.on(disk)("ls", "/store", "--json").objects().count
        if fixture.verdict != "newerFormat" { #expect(page.contains("<dd id=\"records\">\(live)</dd>")) }
        let faults = try Tool.on(disk)("verify", "/store", "--json").objects("fault").count
        #expect(page.contains("<span id=\"faults\">\(faults)</span>") == (faults > 0))
    }

    @Test func nothingInAStoreBecomesMarkup() throws {
        let (page, result) = try page(SimulatedDisk.holding(Self.hostileLog))
        #expect(result.code == 0)
        for markup in ["<script", "<img", "onload=alert(3)>", "</style><b>", "\u{202E}", "\u{1B}"] {
            #expect(!page.contains(markup), "\(markup)")
        }
        #expect(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"))
        #expect(
            page.components(separatedBy: "</section>").count
                == page.components(separatedBy: "<section>").count
        )
    }

    @Test func nothingIsLoadedAndNothingRuns() throws {
        let (page, _) = try page(SimulatedDisk.holding(Self.hostileLog))
        #expect(
            page.contains(
                "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\""
            )
        )
        for markup in [
            "http:", "https:", "src=\"", "href=", "url(", "@import", "<script", "<link", "javascript:",
        ] {
            #expect(!page.contains(markup), "\(markup)")
        }
    }

    @Test func aChosenIDComesFirstAndOpen() throws {
        var log = LogBuilder()
        log.header()
        for number in 1...30 { log.put("small", "\(number)") }
        for number in 0..<30 { log.put("large-\(number)", "\"\(String(repeating: "x", count: 5000))\"") }
        let (page, _) = try page(SimulatedDisk.holding(log), "--id", "small")
        let parts = page.components(separatedBy: "<details class=\"history\"")
        #expect(parts.count == 22)
        #expect(parts[1].hasPrefix(" open><summary><code>&quot;small&quot;"))
        #expect(parts[1].components(separatedBy: "class=\"version\"").count == 21)
        // The oldest one that is shown is compared with the one before it.
        #expect(parts[1].contains("~ 10 -&gt; 11"))
        #expect(!parts[1].contains("~ 9 -&gt; 10"))
        let (other, _) = try self.page(SimulatedDisk.holding(log), "--id", "none")
        #expect(other.contains("The files hold no version of it."))
    }

    @Test func thePlaceMustBeFreeAndOutside() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        #expect(try page(disk).1.code == 2)
        #expect(try page(disk).1.code == 73)
        let tool = Tool.on(disk)
        #expect(tool("report", "/store", "--html", "/store/page.html").code == 64)
        #expect(tool("report", "/store", "--html", "/none/page.html").code == 73)
        #expect(tool("report", "/none", "--html", "/other.html").code == 66)
        #expect(tool("report", "/store").code == 64)
        #expect(disk.contents(of: "/other.html") == nil)
    }
}

import Foundation
import LogInspection
import LogStorage
import TestSupport
import Testing

/// The page in a real browser.
struct BrowserTests {
    /// What the browser made of the page, or nil without one.
    private func dom(_ page: String, in directory: String, _ test: String) async throws -> String? {
        guard let chromium = ChildProcess.find("chromium") ?? ChildProcess.find("google-chrome") else {
            print("SKIPPED \(test): chromium is not installed")
            return nil
        }
        let output = directory + "/dom"
        let child = try ChildProcess(
            chromium,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--user-data-dir=\(directory)/profile", "--dump-dom", "file://\(page)",
            ],
            output: output,
            errors: directory + "/browser-errors"
        )
        let code = await child.wait()
        let errors = try fileText(directory + "/browser-errors")
        try #require(code == 0, "\(errors)")
        return try fileText(output)
    }

    @Test func aBrowserShowsTheRightCountsAndNothingElseThanText() async throws {
        let directory = try TemporaryDirectory()
        let store = directory.path + "/store"
        try SimulatedDisk.holding(ReportTests.hostileLog).save("/store", to: store, of: POSIXFileSystem())
        let page = directory.path + "/page.html"
        #expect(Tool()("report", store, "--html", page).code == 0)
        guard let dom = try await dom(page, in: directory.path, "aBrowserShowsTheRightCounts") else { return }
        let info = try #require(try Tool()("info", store, "--json").objects().first)
        #expect(dom.contains("<dd id=\"records\">\(info["liveRecords"] ?? "")</dd>"))
        #expect(dom.contains("<dd id=\"lastSeq\">\(info["lastSeq"] ?? "")</dd>"))
        #expect(dom.contains("<dd id=\"puts\">\(2 * ReportTests.hostile.count)</dd>"))
        #expect(dom.contains("<span id=\"files\">1</span>"))
        for element in ["<script", "<img", "<b>"] { #expect(!dom.contains(element), "\(element)") }
        // Each history is whole: nothing in it has closed an element.
        #expect(dom.components(separatedBy: "<details").count - 1 == ReportTests.hostile.count)
        #expect(dom.components(separatedBy: "class=\"version\"").count - 1 == 2 * ReportTests.hostile.count)
    }
}

import Foundation
import Testing

@Suite("Links")
struct LinkTests {
    private func page(_ path: String) throws -> Page {
        let url = Toolchain.package.appending(path: path)
        return Page(path: path, text: try String(contentsOf: url, encoding: .utf8))
    }

    private func pages() throws -> [Page] {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Toolchain.package.appending(path: "Docs").path
        )
        let docs = names.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/\($0)" }
        return try (["README.md", "Tools/Examples/README.md"] + docs).map(page)
    }

    /// What is wrong with the links of a page.
    private func faults(of page: Page) throws -> [String] {
        try page.links.compactMap { link in
            let (path, anchor) = page.target(of: link)
            let isThere =
                path == page.path
                || FileManager.default.fileExists(atPath: Toolchain.package.appending(path: path).path)
            guard isThere else {
                return "\(page.path): there is no \(link)"
            }
            guard let anchor else { return nil }
            let anchors = path == page.path ? page.anchors : try self.page(path).anchors
            return anchors.contains(anchor) ? nil : "\(page.path): \(link) has no such heading"
        }
    }

    @Test("No link of the front page or the pages is dead")
    func linksLead() throws {
        var count = 0
        for page in try pages() {
            for fault in try faults(of: page) { Issue.record("\(fault)") }
            count += page.links.count
        }
        #expect(count > 30)
    }

    @Test("Every page can be reached from the front page")
    func pagesAreReached() throws {
        let pages = Dictionary(uniqueKeysWithValues: try pages().map { ($0.path, $0) })
        var reached: Set<String> = ["README.md"]
        var open = ["README.md"]
        while let path = open.popLast() {
            guard let page = pages[path] else { continue }
            for link in page.links {
                let target = page.target(of: link).path
                if reached.insert(target).inserted { open.append(target) }
            }
        }
        #expect(Set(pages.keys).subtracting(reached) == [])
    }

    @Test("A dead link and a heading that is not there are seen")
    func deadLinks() throws {
        let text = """
            # Some: `title`, here

            [a](Format.md) [b](../README.md) [c](Nowhere.md) [d](#some-title-here) [e](#other)
            [f](Format.md#nothing) [g](Format.md#shapes) [h](https://example.org/x) [i](../Docs/Design.md)

            ```
            [j](code.md)
            ```
            """
        let page = Page(path: "Docs/Page.md", text: text)
        #expect(page.links.count == 8)
        #expect(
            try faults(of: page) == [
                "Docs/Page.md: there is no Nowhere.md", "Docs/Page.md: #other has no such heading",
                "Docs/Page.md: Format.md#nothing has no such heading",
            ]
        )
    }

    @Test("The front page has fewer than 150 lines")
    func frontPageIsShort() throws {
        let url = Toolchain.package.appending(path: "README.md")
        #expect(
            try String(contentsOf: url, encoding: .utf8).split(
                separator: "\n",
                omittingEmptySubsequences: false
            ).count < 150
        )
    }
}

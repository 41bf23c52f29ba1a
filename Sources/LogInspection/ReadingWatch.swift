import Synchronization

/// Follows a long reading: says how far it has come, and ends it when someone asks for that.
package final class ReadingWatch: Sendable {
    /// Says nothing and never ends anything.
    package static let none = ReadingWatch(leastLength: 0, show: nil, isInterrupted: { false })

    /// Shows a line in the place of the one before; nil when nobody would see it.
    private let show: (@Sendable (String) -> Void)?
    private let isInterrupted: @Sendable () -> Bool
    /// Shorter files are read before anyone has looked.
    private let leastLength: UInt64
    private let shown = Mutex("")

    package init(
        leastLength: UInt64 = 16 << 20,
        show: (@Sendable (String) -> Void)?,
        isInterrupted: @escaping @Sendable () -> Bool
    ) {
        self.leastLength = leastLength
        self.show = show
        self.isInterrupted = isInterrupted
    }

    /// To be called between pieces of work.
    ///
    /// - Throws: `.interrupted`.
    package func check() throws(InspectionError) {
        if isInterrupted() { throw .interrupted }
    }

    /// A file was read or written up to `offset` of `length` bytes.
    package func advance(_ name: String, _ offset: UInt64, of length: UInt64) throws(InspectionError) {
        try check()
        guard let show, length >= leastLength, length > 0 else { return }
        let line = "walstore: \(name), \(offset * 100 / length) %"
        let isNew = shown.withLock { shown in
            defer { shown = line }
            return shown != line
        }
        if isNew { show(line) }
    }

    /// Takes the line away.
    package func clear() {
        let wasShown = shown.withLock { shown in
            defer { shown = "" }
            return !shown.isEmpty
        }
        if wasShown { show?("") }
    }
}

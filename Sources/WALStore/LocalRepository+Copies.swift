#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

extension LocalRepository {
    /// Copies the store as it is on stable storage at this moment, while savers go on, and reads the copy
    /// back.
    ///
    /// The copy is a store of its own directory, with the same identity and numbers, closed by a mark, so
    /// that it is refused if it is damaged later. Open it with a `directory` and `filename` that name it. A
    /// compaction waits until the copy is done.
    ///
    /// ```swift
    /// try await repository.backup(to: directory.appending(path: "copy.wal"))
    /// let copy = try LocalRepository<Question>(directory: directory, filename: "copy.json")
    /// ```
    ///
    /// - Parameter directory: The directory to make; it must not exist or be empty.
    /// - Throws: `.targetExists`; `StoreError` when something cannot be read or written. The directory then
    ///   holds nothing yet, or a part that is refused when it is opened; delete it. It never holds a shorter
    ///   history that opens.
    public func backup(to directory: URL) async throws(StoreError) {
        guard !isClosed else {
            throw StoreError(.closed, "\(location.store) was closed. Open it to copy it.")
        }
        let backup = StoreBackup(
            self.directory,
            to: StoreDirectory(path: try Self.path(directory), fileSystem: configuration.fileSystem),
            fileMode: fileMode,
            directoryMode: FileMode(rawValue: configuration.directoryMode)
        )
        // A compaction that begins later waits its turn on the same thread, so none of the files goes
        // meanwhile.
        while let running = compaction { _ = await running.task.value }
        let (sources, limit) = (files.sources, stableLimit)
        try await onCompactionThread { () throws(EngineError) in try backup.copy(sources, upTo: limit) }
    }

    /// Writes all acknowledged items as a plain JSON array, ordered by id, in the place of any file that
    /// has the name: nobody is locked in.
    ///
    /// - Throws: `StoreError` when the file cannot be written; one that was there is unchanged then.
    public nonisolated func exportJSON(to file: URL) async throws(StoreError) {
        let items = await loadAll()
        let coder = coder
        let fileSystem = configuration.fileSystem
        let mode = FileMode(rawValue: configuration.fileMode)
        let path = try Self.path(file)
        guard let slash = path.lastIndex(of: "/"), path.index(after: slash) < path.endIndex else {
            throw StoreError(.invalidFilename, "\(path) names no file.")
        }
        var changes: [PendingChange<Item>] = []
        for item in items { changes.append(try coder.put(item)) }
        changes.sort { $0.spelling.spelling.lexicographicallyPrecedes($1.spelling.spelling) }
        let values = changes.map(\.value)
        try await BlockingThread(label: "WALStore export", configuration.execution).run {
            () throws(StoreError) in
            try storage { () throws(StorageError) in
                let directory = slash == path.startIndex ? "/" : String(path[..<slash])
                let name = String(path[path.index(after: slash)...])
                var target = try AtomicReplace(name, in: directory, of: fileSystem, mode: mode)
                try target.append(Array("[".utf8))
                for (index, value) in values.enumerated() {
                    if index > 0 { try target.append(Array(",".utf8)) }
                    try target.append(Array("\n".utf8) + value)
                }
                try target.append(Array("\n]\n".utf8))
                try target.sync()
                _ = try target.publish()
            }
        }
    }

    private var stableLimit: LogCursor.Limit {
        LogCursor.Limit(
            generation: files.generation,
            offset: appender.stable.offset,
            sequenceNumber: appender.stable.sequenceNumber
        )
    }

    private static func path(_ url: URL) throws(StoreError) -> String {
        guard url.isFileURL else { throw StoreError(.invalidFilename, "\(url) is no file URL.") }
        var path = url.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

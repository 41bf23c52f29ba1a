package import LogFormat
package import LogStorage

/// A reading of every line of every file of a store, from the pages of the format alone.
///
/// It shares no code with the store's own recovery, so that the two can contradict each other.
/// Memory does not grow with the files.
package struct Verification: Sendable {
    package let files: StoreFiles
    /// One for each file, in the same order; empty for a store of a newer format.
    let judgements: [FileJudgement]
    /// Faults that lie between files: one that is missing.
    private let missing: [Fault]

    /// As `run`, for a store that someone may be writing to: a torn tail has to stay so for 25 looks, with the
    /// usual pause half a second. On a busy machine the system may stop a writer in the midst of an append for longer
    /// than a pause.
    package static func besideAWriter(
        _ directory: String,
        _ fileSystem: any FileSystem,
        watch: ReadingWatch,
        pause: () -> Void
    ) throws(InspectionError) -> Verification {
        try run(directory, fileSystem, watch: watch, tornTailLooks: looksBesideAWriter, pause: pause)
    }

    package static let looksBesideAWriter = 25

    /// Looks until the faults are certain, or the store is sound.
    ///
    /// Beside a live writer every fault is provisional: an append in flight looks like a torn one. So a
    /// fault is reported only when another look, at the directory and at the bytes, finds the same; a torn
    /// tail when so many in a row do. `pause` is called between two looks.
    package static func run(
        _ directory: String,
        _ fileSystem: any FileSystem,
        watch: ReadingWatch = .none,
        tornTailLooks: Int = 2,
        pause: () -> Void
    ) throws(InspectionError) -> Verification {
        var before: Verification?
        /// How many looks in a row found what `before` did, and itself.
        var same = 0
        var lastChange: InspectionError?
        for _ in 0..<50 + tornTailLooks {
            do throws(InspectionError) {
                let verification = try look(directory, fileSystem, watch, after: before)
                lastChange = nil
                if verification.faults.isEmpty { return verification }
                let isSame = before?.agrees(with: verification) == true
                same = isSame ? same + 1 : 1
                let needed = verification.verdict == .tornTail ? tornTailLooks : 2
                if same >= needed { return verification }
                before = verification
            } catch .changed(let path) {
                before = nil
                lastChange = .changed(path: path)
            }
            pause()
        }
        throw lastChange ?? .unsettled(directory: directory)
    }

    // MARK: The outcome

    /// By file, in the order of the files, then by offset.
    package var faults: [Fault] {
        (missing + judgements.flatMap(\.faults)).sorted { left, right in
            left.file != right.file ? left.file < right.file : left.offset < right.offset
        }
    }

    package var verdict: Verdict { faults.map(\.verdict).max() ?? .sound }

    /// The valid records of all files, a torn tail's left out.
    package var records: UInt64 { judgements.reduce(0) { $0 + $1.records } }

    /// The number of the last record that counts; zero without one.
    package var lastSequenceNumber: SequenceNumber {
        let behindLogs = judgements.compactMap(\.next).max() ?? .first
        let behindSnapshots =
            judgements.filter { $0.name.kind == .snapshot }
            .compactMap { $0.header?.firstSequenceNumber }.max() ?? .first
        return max(behindLogs, behindSnapshots).previous
    }

    /// Whether both found the same files of the same lengths, as many records, and the same faults in the
    /// same places; not whether they say the same.
    package func showsTheSame(as other: Verification) -> Bool {
        func lengths(_ files: StoreFiles) -> [UInt64] { files.files.map(\.length) }
        return files.names == other.files.names && lengths(files) == lengths(other.files)
            && records == other.records && lastSequenceNumber == other.lastSequenceNumber
            && faults.elementsEqual(other.faults) { $0.hasPlaceAndRow(of: $1) }
    }

    /// Which files a state is read from.
    var base: BaseChoice { BaseChoice(files: files, judgements: judgements, missing: missing) }

    // MARK: One look

    private static func look(
        _ directory: String,
        _ fileSystem: any FileSystem,
        _ watch: ReadingWatch,
        after before: Verification?
    ) throws(InspectionError) -> Verification {
        let files = try StoreFiles.open(directory, fileSystem, watch)
        let newer = try newerFormats(files)
        guard newer.isEmpty else { return Verification(files: files, judgements: [], missing: newer) }
        let known = before?.files.names == files.names ? before : nil
        var judgements: [FileJudgement] = []
        for (index, file) in files.files.enumerated() {
            let earlier = known.flatMap { $0.judgements.isEmpty ? nil : $0.judgements[index] }
            judgements.append(try judge(file, mayBeTorn: files.mayBeTorn(file.name), after: earlier))
        }
        var chain = FileChain(files: files, judgements: judgements)
        chain.judge()
        return Verification(files: files, judgements: chain.judgements, missing: chain.missing)
    }

    /// Reads a file, or of one that was read before only what comes behind its first fault.
    private static func judge(_ file: OpenedFile, mayBeTorn: Bool, after earlier: FileJudgement?)
        throws(InspectionError) -> FileJudgement
    {
        if let earlier, earlier.isSound { return earlier }
        let state = earlier?.stateBeforeFaults ?? FileJudge.State()
        var judge = FileJudge(file.name, mayBeTorn: mayBeTorn, from: state)
        guard state.lineEnd.offset <= file.length else { throw .changed(path: file.path) }
        var reader = FileReader(file, from: state.lineEnd)
        while let line = try reader.next() { judge.take(line) }
        return judge.finish(file)
    }

    /// Whether two looks found the same files and the same faults in the same bytes.
    private func agrees(with other: Verification) -> Bool {
        files.names == other.files.names && faults == other.faults
            && judgements.map(\.fingerprint) == other.judgements.map(\.fingerprint)
    }

    /// Files whose first line is that of a later format: then nothing else may be judged, since what
    /// this version takes for damage may be that format's way.
    private static func newerFormats(_ files: StoreFiles) throws(InspectionError) -> [Fault] {
        var faults: [Fault] = []
        for file in files.files {
            var judge = FileJudge(file.name, mayBeTorn: false)
            var reader = FileReader(file, windowSize: 4096)
            while !judge.state.hasFirstLine, let line = try reader.next() { judge.take(line) }
            for seen in judge.observations.list {
                guard case .newerFormat = seen.cause else { continue }
                var fault = Fault(seen, Row(seen, mayBeTorn: false), in: file.name)
                fault.remedy = .newerTool
                faults.append(fault)
            }
        }
        return faults
    }
}

import LogFormat

/// Judges what no file tells alone: whether all are there, of one store, and continue each other.
struct FileChain {
    let files: StoreFiles
    private(set) var judgements: [FileJudgement]
    private(set) var missing: [Fault] = []

    init(files: StoreFiles, judgements: [FileJudgement]) {
        self.files = files
        // What this finds is found anew at each look.
        self.judgements = judgements
    }

    mutating func judge() {
        findMissingLogs()
        compareStores()
        compareNumbers()
        chooseRemedies()
    }

    private func index(_ kind: FileHeader.Kind, _ generation: UInt64) -> Int? {
        judgements.firstIndex { $0.name == StoreFileName(kind: kind, generation: generation) }
    }

    // MARK: Names

    /// From the base to the highest log none may be missing.
    private mutating func findMissingLogs() {
        let logs = judgements.map(\.name).filter { $0.kind == .log && $0.generation >= files.base }
        var next = files.base
        for log in logs {
            if log.generation > next { noteMissing(from: next, through: log.generation - 1) }
            next = log.generation + 1
        }
        if logs.isEmpty { noteMissing(from: next, through: next) }
    }

    private mutating func noteMissing(from first: UInt64, through last: UInt64) {
        missing.append(
            Fault(
                file: StoreFileName(kind: .log, generation: first),
                line: 0,
                offset: 0,
                length: 0,
                row: .header,
                cause: .missingLogs(through: last),
                expected: .zero
            )
        )
    }

    // MARK: Headers

    /// All headers name one store: the one that most of them name, of two the one with the newest file.
    private mutating func compareStores() {
        var counts: [String: Int] = [:]
        for judgement in judgements {
            if let store = judgement.header?.store { counts[store, default: 0] += 1 }
        }
        guard counts.count > 1, let most = counts.values.max(),
            let others = judgements.last(where: { $0.header.map { counts[$0.store] == most } ?? false })?
                .header?.store
        else {
            return
        }
        for index in judgements.indices {
            guard let found = judgements[index].header?.store, found != others else { continue }
            noteMisfit(.store(found: found, others: others), at: index)
        }
    }

    /// Each log's numbers begin where the log before ends and where its snapshot says.
    private mutating func compareNumbers() {
        for index in judgements.indices {
            let name = judgements[index].name
            guard name.kind == .log, let header = judgements[index].header else { continue }
            let found = header.firstSequenceNumber
            let snapshot = self.index(.snapshot, name.generation)
            // A snapshot that is damaged is rebuilt from the logs, if they fit each other without it.
            if let snapshot, judgements[snapshot].isSound,
                let expected = judgements[snapshot].header?.firstSequenceNumber, expected != found
            {
                noteMisfit(.behindSnapshot(found: found, expected: expected), at: index)
            } else if name.generation == 1, snapshot == nil, found != .first {
                noteMisfit(.withoutSnapshot(found: found), at: index)
            }
            // A log that is damaged has said so itself, and may end anywhere.
            if name.generation > 1, let before = self.index(.log, name.generation - 1),
                judgements[before].isSound, let expected = judgements[before].next, expected != found
            {
                // A log that its own snapshot vouches for is right, and the one before it is not.
                if let snapshot, ownHeader(snapshot)?.firstSequenceNumber == found {
                    noteMisfit(.beforeLog(begins: found, expected: expected), at: before)
                } else {
                    noteMisfit(.behindLog(found: found, expected: expected), at: index)
                }
            }
        }
    }

    /// The header of a file, unless it is that of another file, which says nothing about this one.
    private func ownHeader(_ index: Int) -> FileHeader? {
        let isForeign = judgements[index].faults.contains { fault in
            if case .misfit = fault.cause { true } else { false }
        }
        return isForeign ? nil : judgements[index].header
    }

    private mutating func noteMisfit(_ misfit: HeaderMisfit, at index: Int) {
        guard let place = judgements[index].headerPlace else { return }
        let fault = Fault(
            file: judgements[index].name,
            line: place.line,
            offset: place.offset,
            length: place.length,
            row: .header,
            cause: .misfit(misfit),
            expected: .zero
        )
        judgements[index].faults.insert(fault, at: 0)
    }

    // MARK: Remedies

    private mutating func chooseRemedies() {
        let rebuild = BaseChoice(files: files, judgements: judgements, missing: missing).rebuild
        for index in judgements.indices {
            let judgement = judgements[index]
            for fault in judgement.faults.indices where judgement.faults[fault].remedy == .restoreOrRepair {
                let remedy: Remedy
                if case .misfit(.withoutSnapshot) = judgement.faults[fault].cause, judgement.records == 0 {
                    remedy = .repeatImport
                } else if judgement.name.generation < files.base {
                    remedy = .unneeded
                } else if judgement.name.kind == .snapshot, let rebuild {
                    remedy = .rebuild(from: rebuild)
                } else {
                    remedy = .restoreOrRepair
                }
                judgements[index].faults[fault].remedy = remedy
            }
        }
    }
}

import LogFormat

extension FileJudge {
    // MARK: Logs

    /// Each record has the number behind the one before; a batch counts with its last record.
    mutating func takeInLog(_ record: Record, _ place: LinePlace) {
        let number = record.sequenceNumber
        if !state.isNumbered {
            // Without a header the first record says where the numbers begin.
            state.isNumbered = true
            state.next = number
            state.expected = number
        }
        if number > state.expected, !isBehindDamage {
            // Where the missing ones should stand; inside a batch that is behind X.
            let range = state.lineEnd.offset..<place.offset
            note(.gap(number), range, line: state.lineEnd.line)
            state.openBatch = 0
        }
        if !observations.isEmpty { observations.sawRecord(number, synced: record.synced) }
        let isImpossible = record.synced.map { $0 >= number } ?? false
        if let synced = record.synced, isImpossible { take(.synced(synced, in: number), place) }
        guard number >= state.expected else {
            // Behind damage an old number may be an older line that came to light again.
            if observations.isEmpty { note(.number(number), place) }
            state.lineEnd = place.end
            return
        }
        if !isImpossible { isBehindDamage = false }
        count(record, place)
    }

    @inline(__always)
    private mutating func count(_ record: Record, _ place: LinePlace) {
        state.lineEnd = place.end
        state.expected = record.sequenceNumber.next
        if let synced = record.synced, state.synced.map({ $0 < synced }) ?? true { state.synced = synced }
        if state.time.map({ $0 < record.time }) ?? true { state.time = record.time }
        if record.more {
            state.openBatch += 1
            if let synced = record.synced { state.batchSynced = max(state.batchSynced, synced) }
        } else {
            state.end = state.lineEnd
            state.next = state.expected
            state.records += state.openBatch + 1
            state.openBatch = 0
            state.batchSynced = .zero
        }
    }

    // MARK: Snapshots

    /// Numbers rise, with gaps, below the header's `firstSeq`; batches mean nothing.
    mutating func takeInSnapshot(_ record: Record, _ place: LinePlace) {
        let number = record.sequenceNumber
        let first = state.header?.firstSequenceNumber ?? .highest
        if !observations.isEmpty { observations.sawRecord(number, synced: nil) }
        if state.footer != nil {
            return take(.recordBehindFooter, place)
        } else if record.operation == .mark {
            return take(.markInSnapshot, place)
        } else if let synced = record.synced, synced >= number {
            take(.synced(synced, in: number), place)
        } else if number >= first {
            take(.numberInSnapshot(number, below: first), place)
        } else if number < state.expected {
            if observations.isEmpty { note(.number(number), place) }
            state.lineEnd = place.end
            return
        } else {
            isBehindDamage = false
        }
        state.lineEnd = place.end
        state.end = state.lineEnd
        state.expected = number.next
        state.next = state.expected
        state.records += 1
        if state.time.map({ $0 < record.time }) ?? true { state.time = record.time }
    }
}

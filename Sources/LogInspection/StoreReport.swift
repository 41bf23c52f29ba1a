package import LogFormat

/// All that the page of a store shows, gathered in bounded memory besides the ids.
package struct StoreReport {
    let verification: Verification
    let summary: Summary
    private(set) var timeline = Timeline()
    /// One for each judged file.
    private(set) var maps: [FileMap] = []
    /// The ids with the most bytes, the most first.
    private(set) var fattest: [(id: CanonicalID, group: Statistics.Group)] = []
    /// The ids whose history is shown, and its newest versions.
    private(set) var histories: [(id: CanonicalID, versions: [Version])] = []
    private(set) var operations = (puts: UInt64(0), deletes: UInt64(0), marks: UInt64(0))

    /// So many histories, from the first on, are of ids that someone has chosen.
    let chosenCount: Int

    /// A version of a record and what changed in it.
    struct Version {
        var version: History.Version
        var changes: [ValueChange]
        /// Whether versions before it are not shown, so that it cannot be compared.
        var isFirstShown: Bool
    }

    private static let fattestCount = 20
    private static let versionCount = 20

    /// `chosen`: ids whose history is shown before that of the fattest.
    package init(_ verification: Verification, chosen: [CanonicalID]) throws(InspectionError) {
        self.verification = verification
        chosenCount = chosen.count
        maps = verification.judgements.map { FileMap(length: $0.file.length) }
        try Self.readRecords(verification, &self.maps, &self.timeline, &self.operations)
        fattest = try Self.fattest(of: verification)
        summary = try Summary(verification)
        for (place, file) in summary.livePlaces { maps[file].addLive(place.line) }
        let ids = chosen + fattest.map(\.id).filter { !chosen.contains($0) }
        histories = try Self.histories(of: ids, verification)
    }

    private static func readRecords(
        _ verification: Verification,
        _ maps: inout [FileMap],
        _ timeline: inout Timeline,
        _ operations: inout (puts: UInt64, deletes: UInt64, marks: UInt64)
    ) throws(InspectionError) {
        try RecordReading.run(verification) { record, place, isNew, file in
            maps[file].addRecord(place.range)
            timeline.add(record, bytes: place.length, isNew: isNew)
            guard isNew else { return }
            switch record.operation {
            case .put: operations.puts += 1
            case .delete: operations.deletes += 1
            case .mark: operations.marks += 1
            }
        }
    }

    private static func fattest(of verification: Verification) throws(InspectionError)
        -> [(id: CanonicalID, group: Statistics.Group)]
    {
        let statistics = try Statistics(verification, by: .id)
        var fattest: [(id: CanonicalID, group: Statistics.Group)] = []
        try statistics.forEachGroup(limit: fattestCount) { name, group in
            if case .id(let id) = name {
                fattest.append((id.withUnsafeBytes { CanonicalID(verified: $0) }, group))
            }
        }
        return fattest
    }

    // MARK: Histories

    private static func histories(of ids: [CanonicalID], _ verification: Verification)
        throws(InspectionError) -> [(id: CanonicalID, versions: [Version])]
    {
        var table = IDTable()
        for id in ids { _ = id.spelling.withUnsafeBytes { table.insert($0) } }
        // One more than is shown, to compare the first one with.
        var places = ids.map { _ in Ring<RecordPlace>(versionCount + 1) }
        let chain = verification.base.longestChain
        var reading = ChangeReading(chain)
        try reading.run { id, place in
            if let index = table.index(of: id) { places[index].append(place) }
        }
        var histories: [(id: CanonicalID, versions: [Version])] = []
        for (id, places) in zip(ids, places) {
            histories.append((id, try versions(places.inOrder, chain)))
        }
        return histories
    }

    private static func versions(_ places: [RecordPlace], _ chain: [FileJudgement]) throws(InspectionError)
        -> [Version]
    {
        var versions: [Version] = []
        var before: [UInt8]?
        for (index, place) in places.enumerated() {
            let version = try History.version(at: place, in: chain)
            if index > 0 || places.count <= versionCount {
                versions.append(
                    Version(
                        version: version,
                        changes: ValueChanges.between(before, version.value),
                        isFirstShown: index == 1 && places.count > versionCount
                    )
                )
            }
            before = version.value
        }
        return versions
    }
}

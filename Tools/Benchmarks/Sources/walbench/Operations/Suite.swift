/// What the operations have in common, and their list.
struct Suite: Sendable {
    let options: Options
    let scratch: Scratch
    let datasets: Datasets
    /// The bytes of a line of the project's log.
    let lineLength: Int

    init(_ options: Options, _ scratch: Scratch) async throws {
        self.options = options
        self.scratch = scratch
        datasets = Datasets(scratch, options)
        lineLength = try await ProjectStore.lineLength(scratch)
    }

    /// In the order of the goals.
    func operations() -> [Operation] {
        [
            singleWriter(), manyWriters(), unsynced(), batches(), opening(), openingOnDemand(),
            openingOverwritten(),
            finding(), compacting(), memory(), verifying(), againstNaive(), growingStore(), stalls(),
        ]
    }

    /// Measured only when it is asked for by name.
    func longOperations() -> [Operation] { [scale()] }

    /// `WALStore` and each installed peer, by what it does.
    func contestants(
        project: @escaping Contestant.Round,
        peers: @escaping @Sendable (any Peer.Type) async throws -> [Figure]
    ) -> [Contestant] {
        [Contestant(Contestant.project, round: project)]
            + Peers.installed.map { type in Contestant(type.name) { try await peers(type) } }
    }

    /// A new store of a peer for the time of `body`, on a thread of its own.
    func fresh(
        _ type: any Peer.Type,
        _ durability: PeerDurability,
        _ body: @escaping @Sendable (DocumentStore) throws -> [Figure]
    ) async throws -> [Figure] {
        scratch.settle()
        return try await scratch.fresh(type.name) { directory in
            try await Threads.run { try body(DocumentStore(type, at: directory, durability)) }
        }
    }
}

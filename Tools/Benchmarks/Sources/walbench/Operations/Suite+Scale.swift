import Foundation
import WALStore

/// SCALE: what a store costs by the number of its records. Run by name alone, since the largest takes minutes.
extension Suite {
    func scale() -> Operation {
        let sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].dropLast(options.isQuick ? 1 : 0)
        return Operation(
            number: "SCALE",
            title: "a store by the number of its records",
            includes: """
                a compacted store, opened in a process of its own: eagerly, then 1,000 synced saves of random ids that are \
                there, 10,000 finds of random ids, and a compaction; and on demand, the first find included; memory is \
                VmRSS behind the opening
                """,
            contestants: sizes.map { sized($0) }
        )
    }

    private func sized(_ records: Int) -> Contestant {
        Contestant("\(records) records") {
            let directory = try scratch.kept("scale-\(records)")
            let filled = try await seconds {
                let repository = try ProjectStore.open(directory, ProjectStore.unsynced, compaction: .manual)
                try await ProjectStore.fill(repository, (0..<records).lazy.map { Document($0) })
                try await repository.compact()
                try await repository.close()
            }
            let bytes = try size(of: directory)
            return {
                scratch.settle()
                let lazily = try await Child.figures(of: Child.openProjectOnDemand, directory)
                let eagerly = try await Child.figures(of: Child.useProject(records), directory)
                return [Figure("files MB", bytes / 1e6), Figure("fill and compact s", filled)]
                    + eagerly
                    + lazily.filter { $0.metric != "peak MB" }.map {
                        Figure("on demand \($0.metric)", $0.value)
                    }
            }
        }
    }

    private func size(of directory: String) throws -> Double {
        let manager = FileManager.default
        guard let names = manager.enumerator(atPath: directory) else {
            throw Failure("\(directory) cannot be listed.")
        }
        var bytes = 0.0
        for case let name as String in names {
            let attributes = try manager.attributesOfItem(atPath: "\(directory)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            bytes += (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        }
        return bytes
    }
}

import Foundation
import LogEngine
import TestSupport
import WALStore

/// An item of a schedule. Who wrote it is in it, so that every record can be told from every other.
struct ScheduledItem: Codable, Identifiable, Hashable, Sendable {
    var id: String
    var by: String
    var count = 0
}

/// The tasks of a schedule: they call a repository, and hold what they are told against what the disk has
/// seen.
///
/// Unchecked: used by the one thread that the schedule runs on.
final class ScheduleCaller: @unchecked Sendable {
    typealias Store = LocalRepository<ScheduledItem>

    struct Name: Hashable, CustomStringConvertible {
        var task: Int
        /// Whether it follows the changes, and so ends when the store is closed.
        var follows: Bool

        var description: String { "task \(task)" }
    }

    private enum Expectation {
        /// Nil when it was deleted.
        case token(String?)
        case unknown
    }

    private let store: Store
    private let schedule: Schedule
    private let history: ScheduleHistory
    private let isSynced: Bool
    private let sabotage: Sabotage?
    /// What a task has under ids of its own.
    private var expected: [String: Expectation] = [:]
    /// The tasks that have not ended.
    private(set) var unfinished: Set<Name> = []
    /// What was told to whom, for the report of a failure.
    private var log: [(token: String, call: ScheduledStep.Call, outcome: String)] = []
    private(set) var outcomes: [Counter: Int] = [:]

    init(
        _ store: Store,
        _ schedule: Schedule,
        _ history: ScheduleHistory,
        isSynced: Bool,
        _ sabotage: Sabotage?
    ) {
        self.store = store
        self.schedule = schedule
        self.history = history
        self.isSynced = isSynced
        self.sabotage = sabotage
    }

    /// Begins a task for each number that the steps name.
    func begin(_ steps: [ScheduledStep]) {
        for task in Set(steps.map(\.task)).sorted() {
            let own = steps.filter { $0.task == task }
            let name = Name(task: task, follows: own.contains { $0.call == .follow })
            unfinished.insert(name)
            Task(executorPreference: schedule) {
                for (number, step) in own.enumerated() {
                    await Task.yield()
                    await self.make(step, "\(task).\(number)")
                }
                self.unfinished.remove(name)
            }
        }
    }

    private func make(_ step: ScheduledStep, _ token: String) async {
        let result: Result<Void, any Error>
        if step.isCancelled {
            let call = Task(executorPreference: schedule) { try await self.perform(step.call, token) }
            await Task.yield()
            call.cancel()
            result = await call.result
        } else {
            do {
                result = .success(try await perform(step.call, token))
            } catch {
                result = .failure(error)
            }
        }
        if case .failure(let error) = result { judge(error, step, token) }
        note(step, token, result)
    }

    private func note(_ step: ScheduledStep, _ token: String, _ result: Result<Void, any Error>) {
        var outcome = "ok, up to \(history.acknowledged)"
        if case .failure(let error) = result {
            outcome = (error as? StoreError)?.code.description ?? "\(error)"
        }
        log.append((token, step.call, outcome))
        for byte in outcome.utf8.suffix(4) { schedule.note(UInt64(byte)) }
    }

    var report: [String] { log.map { "\($0.token) \($0.call): \($0.outcome)" } }

    // MARK: Failures

    private func judge(_ error: any Error, _ step: ScheduledStep, _ token: String) {
        guard let error = error as? StoreError else {
            return history.fail(.acknowledgedIsRecovered, "\(token) \(step.call) throws \(error)")
        }
        outcomes[.told(error.code.description), default: 0] += 1
        switch error.code {
        case .cancelled, .closed, .poisoned:
            // Nothing was written, and so nothing may ever be found.
            if history.lastNumber(where: { $0.token ?? "" == token }) != nil {
                history.fail(.acknowledgedIsRecovered, "\(token) was written and is told \(error.code)")
            }
        case .outcomeUnknown, .io, .diskFull:
            for id in step.call.ownIDs { expected[id] = .unknown }
        default:
            history.fail(.acknowledgedIsRecovered, "\(token) \(step.call) is told \(error)")
        }
    }

    // MARK: Calls

    private func perform(_ call: ScheduledStep.Call, _ token: String) async throws {
        let before = history.written
        switch call {
        case .save(let id):
            try await save(ScheduledItem(id: id, by: token))
            acknowledge(token, [id])
        case .saveAll(let ids):
            try await store.save(contentsOf: ids.map { ScheduledItem(id: $0, by: token) })
            acknowledge(token, ids)
        case .delete(let id):
            try await store.delete(id)
            acknowledgeDelete([id])
        case .deleteAll(let ids):
            try await store.delete(contentsOf: ids)
            acknowledgeDelete(ids)
        case .count:
            try await count(token)
            acknowledge(token, ["n"])
        case .transfer:
            try await store.transaction { transaction in
                for (id, change) in [("x", -1), ("y", 1)] {
                    let count = transaction.find(by: id)?.count ?? 0
                    transaction.save(ScheduledItem(id: id, by: token, count: count + change))
                }
            }
            acknowledge(token, ["x", "y"])
        case .read(let id): read(id, await find(id))
        case .flush:
            try await store.flush()
            history.acknowledge(before, isStable: true)
        case .compact: try await store.compact()
        case .close:
            try await store.close()
            // A store that a failure has ended is given up as it is: its callers know of it.
            if await store.statistics.poison == nil { history.acknowledge(before, isStable: true) }
        case .follow: try await follow()
        }
        outcomes[.call(call.kind), default: 0] += 1
    }

    private func acknowledge(_ token: String, _ ids: [String]) {
        guard let number = history.batch(of: token, count: ids.count) else {
            return history.fail(.acknowledgedIsRecovered, "\(token) is acknowledged and is no whole batch")
        }
        history.acknowledge(number, isStable: isSynced)
        for id in ids { expected[id] = .token(token) }
    }

    private func acknowledgeDelete(_ ids: [String]) {
        for id in ids where !isUnknown(id) {
            expected[id] = .token(nil)
            guard let number = history.lastNumber(where: { $0.id == "\"\(id)\"" }) else { continue }
            if history.entry(number)?.value != nil {
                history.fail(.acknowledgedIsRecovered, "the delete of \(id) is acknowledged and not written")
            }
            history.acknowledge(number, isStable: isSynced)
        }
    }

    private func isUnknown(_ id: String) -> Bool {
        if case .unknown = expected[id] { true } else { false }
    }

    /// What was read is acknowledged by that.
    private func read(_ id: String, _ item: ScheduledItem?) {
        if case .token(let token) = expected[id], ScheduledStep.isOwn(id), token != item?.by {
            history.fail(
                .acknowledgedIsRecovered,
                "\(id) is by \(token ?? "nobody"), and \(item?.by ?? "nothing") is read"
            )
        }
        guard let item, !history.isOfStart(id, item.by) else { return }
        let number = history.lastNumber { $0.id == "\"\(id)\"" && $0.token ?? "" == item.by }
        guard let number else {
            return history.fail(.recoveredIsAPrefix, "\(id) by \(item.by) is read, and nobody wrote that")
        }
        history.acknowledge(number, isStable: isSynced)
    }

    /// What is delivered is stable, and nothing is left out.
    private func follow() async throws {
        var last = history.stable
        // The state that a reset gives comes in no order of its numbers.
        var reset: UInt64 = 0
        for try await change in store.changes(since: last) {
            let number = change.sequenceNumber
            outcomes[.delivered, default: 0] += 1
            if change.kind == .reset { reset = number }
            if number > reset {
                if number <= last || history.hasChanges(between: last, and: number) {
                    history.fail(.recoveredIsAPrefix, "change \(number) is delivered behind \(last)")
                }
            }
            last = max(number, reset)
            history.acknowledge(last, isStable: true)
        }
    }

    // MARK: Where faults are planted

    private func save(_ item: ScheduledItem) async throws {
        guard sabotage == .acknowledgesWithTheSyncThatRuns else { return try await store.save(item) }
        // Whoever waits is told as soon as a sync ends, also one that began before the write.
        let syncs = history.syncs
        let end = End()
        let call = Task(executorPreference: schedule) {
            defer { end.hasCome = true }
            try await self.store.save(item)
        }
        while !end.hasCome {
            let isWritten = history.lastNumber(where: { $0.token ?? "" == item.by }) != nil
            if isWritten, history.syncs > syncs { return }
            await Task.yield()
        }
        try await call.value
    }

    private func count(_ token: String) async throws {
        guard sabotage == .updatesInTwoSteps else {
            try await store.update("n") { item in
                item = ScheduledItem(id: "n", by: token, count: (item?.count ?? 0) + 1)
            }
            return
        }
        let count = await store.find(by: "n")?.count ?? 0
        try await store.save(ScheduledItem(id: "n", by: token, count: count + 1))
    }

    private func find(_ id: String) async -> ScheduledItem? {
        let item = await store.find(by: id)
        guard sabotage == .readsBeforeTheSync,
            let number = history.lastNumber(where: { $0.id == "\"\(id)\"" }),
            let value = history.moment(at: number)?.state["\"\(id)\""]
        else { return item }
        return try? JSONDecoder().decode(ScheduledItem.self, from: Data(value.utf8))
    }
}

/// Unchecked: used by one thread.
private final class End: @unchecked Sendable {
    var hasCome = false
}

extension ScheduledStep {
    /// Whether only one task changes it.
    static func isOwn(_ id: String) -> Bool { id.hasPrefix("t") }
}

extension ScheduledStep.Call {
    /// The ids of the task's own that it changes.
    fileprivate var ownIDs: [String] {
        switch self {
        case .save(let id), .delete(let id): [id].filter(ScheduledStep.isOwn)
        case .saveAll(let ids), .deleteAll(let ids): ids.filter(ScheduledStep.isOwn)
        default: []
        }
    }
}

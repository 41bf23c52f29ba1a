import Foundation
import Observation
import Synchronization
import TestSupport
import Testing
import WALStore

@MainActor
private func wait(_ what: String, _ condition: () async -> Bool) async throws {
    for _ in 0..<20_000 {
        if await condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("It did not come to pass: \(what)")
}

@Suite("A model for views")
@MainActor
struct RepositoryModelTests {
    @Test("The model loads, follows what others save, and keeps the order")
    func follows() async throws {
        let repository = try open(Note.self, on: SimulatedDisk())
        try await repository.save(contentsOf: [Note("1", "m"), Note("2", "a")])
        let model = RepositoryModel(repository, sortedBy: \Note.text)
        let following = Task { await model.follow() }
        try await wait("it loads") { model.items.count == 2 }
        #expect(model.items.map(\.text) == ["a", "m"])

        let isSeen = Atomic(false)
        withObservationTracking {
            _ = model.items
        } onChange: {
            isSeen.store(true, ordering: .relaxed)
        }
        try await Task.detached { try await repository.save(Note("3", "h")) }.value
        try await wait("the change shows") { model.items.count == 3 }
        let wasSeen = isSeen.load(ordering: .relaxed)
        #expect(wasSeen)
        #expect(model.items.map(\.text) == ["a", "h", "m"])

        await model.add(Note("2", "z"))
        await model.remove("1")
        try await wait("its own changes show") { model.items.map(\.text) == ["h", "z"] }
        #expect(model.error == nil)
        try await repository.close()
        await following.value
        await model.add(Note("4"))
        #expect(model.error?.code == .closed)
    }

    @Test("It is loaded when all items have come, also when there are none")
    func isLoaded() async throws {
        let empty = RepositoryModel(try open(Note.self, on: SimulatedDisk()), sortedBy: \Note.id)
        let followingNone = Task { await empty.follow() }
        try await wait("an empty one is loaded") { empty.isLoaded }
        followingNone.cancel()

        let repository = try open(Note.self, on: SimulatedDisk())
        let count = 2_000
        for _ in 0..<2 {
            // The second time the feed begins with a reset.
            try await repository.save(contentsOf: (0..<count).map { Note("\($0)", "x") })
            let model = RepositoryModel(repository, sortedBy: \Note.id)
            let following = Task { await model.follow() }
            try await wait("it is loaded") { model.isLoaded }
            #expect(model.items.count == count)
            following.cancel()
            await following.value
            try await repository.compact()
            try await repository.delete("0")
            try await repository.compact()
        }
    }

    @Test("An item that is not acknowledged is not shown as saved")
    func unacknowledged() async throws {
        let disk = SimulatedDisk()
        let repository = try open(Note.self, on: disk)
        let model = RepositoryModel(repository, sortedBy: \Note.id)
        let following = Task { await model.follow() }
        disk.stallSyncs()
        let adding = Task { await model.add(Note("1", "x")) }
        try await disk.waitForStalledSyncs()
        #expect(model.items.isEmpty)
        disk.releaseSyncs()
        await adding.value
        try await wait("it shows") { model.items.count == 1 }
        following.cancel()
        await following.value
    }

    @Test("The repository in memory serves the same model, and fails when it is told to")
    func inMemory() async throws {
        let repository = InMemoryRepository([Note("b", "2"), Note("a", "1")])
        let model = RepositoryModel(repository, sortedBy: \Note.id)
        let following = Task { await model.follow() }
        try await wait("it loads") { model.items.map(\.id) == ["a", "b"] }
        await repository.failNext(StoreError(.diskFull, "The disk is full."))
        await model.add(Note("c"))
        #expect(model.error?.code == .diskFull)
        await model.add(Note("c"))
        #expect(model.error == nil)
        try await wait("it shows") { model.items.count == 3 }
        #expect(await repository.loadAllByID().map(\.id) == ["a", "b", "c"])
        #expect(await repository.loadAll(sortedBy: \Note.text).first?.id == "c")
        await repository.close()
        await following.value
    }
}

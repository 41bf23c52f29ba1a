import Notebook
import Testing
import WALStore
import WALStoreTesting

@Suite struct PowerCutTests {
    @Test func aPowerCutAtEveryPointLosesNoNote() async throws {
        let disks = try await SimulatedDisk.forEveryCrashPoint { disk in
            let notebook = try Notebook(disk.configuration)
            let (first, second) = (Note("a"), Note("b", tags: ["x"]))
            for note in [first, second] {
                try await notebook.add(note)
                disk.note(note.text)
            }
            try await notebook.merge(first, into: second)
        } verify: { disk in
            let found = try await Notebook(disk.configuration).allText()
            let saved = disk.notes.joined()
            #expect(
                ["", "a", "ab", "ba"].contains(found) && saved.allSatisfy(found.contains),
                "\(disk.history)"
            )
        }
        #expect(disks > 50)
    }

    @Test func aFullDiskIsAnErrorAndNothingIsLost() async throws {
        let disk = SimulatedDisk()
        let notebook = try Notebook(disk.configuration)
        try await notebook.add(Note("a"))
        disk.isFull = true
        await #expect { try await notebook.add(Note("b")) } throws: { ($0 as? StoreError)?.code == .diskFull }
        disk.isFull = false
        try await notebook.add(Note("c"))
        disk.cutPower()
        #expect(try await Notebook(disk.restart(seed: 7).configuration).allText() == "ac")
    }

    @Test func afterAFailedSyncWhatWasSavedBeforeIsThere() async throws {
        let disk = SimulatedDisk()
        let notebook = try Notebook(disk.configuration)
        try await notebook.add(Note("a"))
        disk.failNextSync()
        await #expect(throws: StoreError.self) { try await notebook.add(Note("b")) }
        #expect(try await Notebook(disk.restart().configuration).allText().contains("a"))
        #expect(try await Notebook(disk.restartProcess().configuration).allText().contains("a"))
    }
}

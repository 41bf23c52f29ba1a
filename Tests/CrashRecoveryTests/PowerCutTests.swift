#if os(Linux)
    import CrashCampaigns
    import ProcessCampaigns
    import TestSupport
    import Testing

    /// L8: real power cuts, on real file systems on loop devices.
    @Suite(.serialized) struct PowerCutTests {
        @Test(arguments: LoopDisk.Kind.allCases)
        func aPowerCutUnderARealFileSystemLosesNothingThatWasAcknowledged(_ kind: LoopDisk.Kind) async throws
        {
            let cycles = Effort.count(4, release: 20, full: 1_000)
            #if DEBUG
                if !Effort.isFull { print("without optimization only \(cycles) of 20 power cuts") }
            #endif
            var campaign = PowerCutCampaign(kind, try BuiltProgram.path("crashlab"), seed: 3)
            do {
                try await campaign.run(cycles: cycles)
            } catch let missing as Unavailable {
                return print("SKIPPED \(#function), \(kind.rawValue): \(missing)")
            }
            print(campaign.description)
            #expect(campaign.faults == [])
            #expect(campaign.cutCount == cycles)
            #expect(PowerCutCampaign.Phase.allCases.allSatisfy { campaign.cuts[$0] ?? 0 > 0 })
            #expect(campaign.acknowledged > 0)
        }

        /// A cut that nothing is lost in would prove nothing.
        @Test(arguments: LoopDisk.Kind.allCases)
        func aPowerCutTakesWhatWasAcknowledgedWhenSyncsDoNothing(_ kind: LoopDisk.Kind) async throws {
            let scratch = try TemporaryDirectory()
            do {
                let disk = try await LoopDisk(kind, in: scratch.path)
                let fault = SystemCallFault(.fdatasync, .lie, at: 1)
                var life = WriterRun(
                    directory: "\(disk.mountPoint)/store",
                    seed: 1,
                    end: .systemCall(fault)
                )
                life.calls = 10
                let outcome = try await life.run(BuiltProgram.path("crashlab"), scratch: scratch.path)
                #expect(outcome.isInjected && outcome.report.isClosed)
                #expect(outcome.report.acknowledgedCount == 10)
                try disk.cutPower()
                try await disk.unmount()
                try disk.mount()
                #expect(await loss(of: outcome.report, in: life.directory, scratch.path) != nil)
            } catch let missing as Unavailable {
                print("SKIPPED \(#function), \(kind.rawValue): \(missing)")
            }
        }

        private func loss(of report: WriterReport, in directory: String, _ scratch: String) async -> String? {
            do {
                let found = try await LabStore.read(directory, copiedTo: "\(scratch)/copy", closes: true)
                return report.fault(in: found.texts, after: [:])
            } catch {
                return "refused: \(error)"
            }
        }
    }
#endif

#if os(Linux)
    import Foundation
    import LogStorage
    import TestSupport

    /// L8: the power is cut under a real file system in which a process has just written.
    ///
    /// The process is killed and reaped first: what it would say between the cut and its end, nobody in a
    /// real power cut could hear, and it would count as acknowledged.
    package struct PowerCutCampaign: Sendable {
        package enum Phase: String, CaseIterable, Sendable {
            case creating, opening, saving, compacting
        }

        package let kind: LoopDisk.Kind
        package private(set) var cuts: [Phase: Int] = [:]
        package private(set) var acknowledged = 0
        /// Cuts after which the files were not those that the process had written.
        package private(set) var tornTails = 0
        /// Cuts at a system call instead of a moment.
        package private(set) var cutsAtCalls = 0
        package private(set) var faults: [String] = []

        private let crashlab: String
        private var random: SeededGenerator
        private var state: [String: String] = [:]
        private var stores = 0

        package var cutCount: Int { cuts.values.reduce(0, +) }

        /// - Parameter crashlab: the path of the program `crashlab`.
        package init(_ kind: LoopDisk.Kind, _ crashlab: String, seed: UInt64) {
            self.kind = kind
            self.crashlab = crashlab
            random = SeededGenerator(seed: seed)
        }

        package var description: String {
            let phases = Phase.allCases.map { "\($0.rawValue) \(cuts[$0] ?? 0)" }
            return """
                \(kind.rawValue): \(cutCount) power cuts (\(phases.joined(separator: ", ")); \(cutsAtCalls) at a \
                system call); \(acknowledged) calls acknowledged and all there, \(tornTails) torn tails; \
                \(faults.count) faults
                """
        }

        /// Goes on for so many cycles, or until something is wrong.
        ///
        /// - Throws: `Unavailable` when this machine cannot do it.
        package mutating func run(cycles: Int) async throws {
            let scratch = try TemporaryDirectory()
            let disk = try await LoopDisk(kind, in: scratch.path)
            let hasStrace = ChildProcess.find("strace") != nil
            if !hasStrace { print("SKIPPED power cuts at system calls: strace is missing") }
            for cycle in 0..<cycles where faults.isEmpty {
                let phase = Phase.allCases[cycle % Phase.allCases.count]
                try await run(phase, UInt64(cycle), disk, scratch.path, hasStrace)
            }
            try await disk.unmount()
        }

        private mutating func run(
            _ phase: Phase,
            _ cycle: UInt64,
            _ disk: LoopDisk,
            _ scratch: String,
            _ hasStrace: Bool
        ) async throws {
            if phase == .creating { try beginStore(disk.mountPoint) }
            let directory = "\(disk.mountPoint)/store-\(stores)"
            var life = WriterRun(directory: directory, seed: cycle, end: end(phase, hasStrace))
            life.isSynced = !random.oneIn(4)
            life.tasks = [1, 8][random.below(2)]
            life.compactAt = phase == .compacting ? 2_000 : nil
            if case .systemCall = life.end { life.calls = 60 }
            let outcome = try await life.run(crashlab, scratch: scratch)
            if outcome.isInjected { cutsAtCalls += 1 }
            try disk.cutPower()
            try await disk.unmount()
            try disk.mount()
            cuts[phase, default: 0] += 1
            acknowledged += outcome.report.acknowledgedCount
            await judge(life, outcome, scratch)
        }

        private mutating func beginStore(_ mountPoint: String) throws {
            let old = "\(mountPoint)/store-\(stores)"
            if FileManager.default.fileExists(atPath: old) { try FileManager.default.removeItem(atPath: old) }
            stores += 1
            state = [:]
        }

        private mutating func end(_ phase: Phase, _ hasStrace: Bool) -> WriterRun.End {
            if hasStrace, random.oneIn(2) {
                let calls: [SystemCallFault.Call] = [.pwrite64, .fdatasync, .fsync, .rename, .openat, .write]
                let call = calls[random.below(calls.count)]
                let isEarly = phase == .creating || phase == .opening
                let number = 1 + random.below(isEarly ? 6 : 24)
                return .systemCall(SystemCallFault(call, .kill, at: number))
            }
            switch phase {
            case .creating, .opening: return .kill(afterMicroseconds: random.below(60_000), whenOpen: false)
            case .saving, .compacting: return .kill(afterMicroseconds: random.below(30_000), whenOpen: true)
            }
        }

        private mutating func judge(_ life: WriterRun, _ outcome: WriterRun.Outcome, _ scratch: String) async
        {
            let report = outcome.report
            if report.error != nil || !report.failures.isEmpty {
                faults.append("\(life): \(report.error ?? "") \(report.failures)")
            }
            do {
                // On a copy, so that the next cut can come while the store is opened for the first time.
                let found = try await LabStore.read(life.directory, copiedTo: "\(scratch)/copy", closes: true)
                if let problem = report.fault(in: found.texts, after: state, endMayBeLost: !life.isSynced) {
                    faults.append("\(life): \(problem)")
                }
                tornTails += found.bytesCut > 0 ? 1 : 0
                state = found.texts
                guard random.oneIn(2) else { return }
                let again = try await LabStore.read(life.directory, closes: random.oneIn(2))
                if again.texts != state { faults.append("\(life): opens to \(again) after \(state)") }
            } catch {
                faults.append("\(life): opening failed: \(error)")
            }
        }
    }
#endif

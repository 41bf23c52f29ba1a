import Synchronization
import TestSupport

/// Runs tasks on the thread that asks for it, one job at a time, in an order that a seed repeats.
///
/// A job runs to its next suspension. In the midst of a call to the disk others may run, as they would on
/// other threads; what they want of an actor that is at work waits in its queue, as it does there.
final class Schedule: TaskExecutor {
    fileprivate struct Job: Sendable {
        var job: UnownedJob
        /// Where it has to run; nil for any thread.
        var lane: Lane?
    }

    fileprivate struct State: Sendable {
        var random: SeededGenerator
        var ready: [Job] = []
        /// The lanes that are at work.
        var busy: Set<ObjectIdentifier> = []
        /// How many jobs run, each in the midst of the one before.
        var depth = 0
        var steps = 0
        var trace: UInt64 = 0
    }

    private static let greatestDepth = 3
    /// More than any schedule needs that ends.
    private static let mostSteps = 20_000

    private let state: Mutex<State>
    private let losesJobs: Bool
    private let watcher: @Sendable () -> Void

    /// `watcher` is called before each step, and wherever one may come in between.
    init(seed: UInt64, losesJobs: Bool = false, watcher: @escaping @Sendable () -> Void) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        self.losesJobs = losesJobs
        self.watcher = watcher
    }

    /// Differs for every order of steps.
    var trace: UInt64 { state.withLock { $0.trace } }

    var steps: Int { state.withLock { $0.steps } }

    func note(_ number: UInt64) {
        state.withLock { $0.trace = ($0.trace &* 0x0000_0100_0000_01B3) ^ number }
    }

    /// A decision that belongs to the schedule.
    func coin() -> Bool { state.withLock { $0.random.oneIn(2) } }

    // MARK: Jobs

    func enqueue(_ job: consuming ExecutorJob) {
        add(Job(job: UnownedJob(job)))
    }

    fileprivate func enqueue(_ job: consuming ExecutorJob, on lane: Lane) {
        add(Job(job: UnownedJob(job), lane: lane))
    }

    private func add(_ job: Job) {
        state.withLock { state in
            if losesJobs, state.random.oneIn(16) { return }
            state.ready.append(job)
        }
    }

    /// An executor that runs one job at a time, as a thread of its own would.
    func makeLane() -> any SerialExecutor { Lane(self) }

    fileprivate final class Lane: SerialExecutor {
        private let schedule: Schedule

        init(_ schedule: Schedule) {
            self.schedule = schedule
        }

        func enqueue(_ job: consuming ExecutorJob) { schedule.enqueue(job, on: self) }
    }

    // MARK: Steps

    /// Runs until nothing is ready; false when that does not come about.
    func run() -> Bool {
        while step() {
            if steps > Self.mostSteps { return false }
        }
        return true
    }

    /// Lets others run, as a thread does that is in the kernel.
    func interleave() {
        watcher()
        while state.withLock({ $0.depth < Self.greatestDepth && $0.random.oneIn(2) }), step() {}
    }

    /// Runs one of the jobs that are ready; false when there is none.
    private func step() -> Bool {
        watcher()
        guard let next = state.withLock({ $0.take() }) else { return false }
        let executor = asUnownedTaskExecutor()
        if let lane = next.lane {
            next.job.runSynchronously(isolatedTo: lane.asUnownedSerialExecutor(), taskExecutor: executor)
        } else {
            next.job.runSynchronously(on: executor)
        }
        state.withLock { state in
            state.depth -= 1
            if let lane = next.lane { state.busy.remove(ObjectIdentifier(lane)) }
        }
        return true
    }
}

extension Schedule.State {
    fileprivate mutating func take() -> Schedule.Job? {
        let free = ready.indices.filter { index in
            ready[index].lane.map { !busy.contains(ObjectIdentifier($0)) } ?? true
        }
        guard !free.isEmpty else { return nil }
        let choice = random.below(free.count)
        trace = (trace &* 0x0000_0100_0000_01B3) ^ UInt64(choice << 8 | free.count)
        steps += 1
        depth += 1
        let job = ready.remove(at: free[choice])
        if let lane = job.lane { busy.insert(ObjectIdentifier(lane)) }
        return job
    }
}

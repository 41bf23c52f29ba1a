import Foundation

let usage = """
    usage: crashlab campaign [--layer L1..L6] [--seconds N | --states N | --seeds N | --full] [--seed-from N]
                             [--workers N] [--json]
           crashlab replay --layer L --seed N [--keep N,N,…] [--sabotage NAME]
           crashlab sabotage
           crashlab kills [--cycles N] [--seed N]
           crashlab syscalls [--cycles N] [--seed N]
           crashlab powercut [--fs ext4|xfs] [--cycles N] [--seed N]
           crashlab writer DIR SEED [--durability synced|written] [--tasks N] [--calls N]
                                    [--compact-at BYTES]
           crashlab rounds DIR LIFE ROUNDS COMPACT-AT [--close]
           crashlab follow DIR
           crashlab feed DIR CHANGES STOP

      campaign  runs each layer, or one, over the seeds from N (0) for so many seconds (60), until so many
                disks are judged, over so many seeds, or to the goals of the full campaign, and prints what it
                tried and found. How far it is, it says once a minute on standard error. An interrupt ends it
                after the block of seeds that it is at. A failure is shrunk and printed with the command that
                runs it again. Exit code 1 when something failed, was broken off, or a fault was never injected.
      replay    runs one seed of a layer again, whole or only the steps whose numbers are kept.
      sabotage  plants one fault after the other and tells which layer catches it.
      kills     kills a writer at random moments and judges what is left, so many times (1000) in hundreds; half
                of the writers compact all the time.
      syscalls  lets the n-th system call of a writer kill it or fail, so many times (1000). Needs strace.
      powercut  cuts the power under a writer on a real file system on a loop device, so many times (1000).
                Needs mkfs and the right to mount.
      writer    opens the store in DIR and changes it until it is killed, or for N calls of each task, and
                then closes it. On standard output, unbuffered: "open CUT" once it is open, with the bytes
                that recovery cut; "issue TASK N CALL" before each call, and after it "done TASK N" when it
                was acknowledged or "fail TASK N CODE" when it was not; at the end "closed", or "error …".
      rounds    saves so many batches, each of which leaves items of its round and life alone; then it closes
                the store, or waits until it is killed. It says "open ROUND LIFE" of the state that it found,
                "done ROUND" after each round, and "closed".
      follow    reads the store in DIR beside its writer until it is killed, by refreshing ("state NUMBER
                ITEM …") and by its feed ("saved", "deleted", "reset"); an item is "ID:ROUND:LIFE:PADDING".
      feed      saves so many changes, then follows the feed from the number that the life before has left, up
                to the number STOP, while it writes and compacts; it says what it took in, and its memory.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
let isPassed: Bool?
switch arguments.first {
case "campaign": isPassed = await Laboratory.campaign(arguments.dropFirst())
case "replay": isPassed = Laboratory.replay(arguments.dropFirst())
case "sabotage": isPassed = await Laboratory.sabotage()
case "kills": isPassed = try await RealLaboratory.kills(arguments.dropFirst())
case "syscalls": isPassed = try await RealLaboratory.systemCalls(arguments.dropFirst())
case "powercut": isPassed = try await RealLaboratory.powerCuts(arguments.dropFirst())
case "writer":
    let writer = Writer(arguments.dropFirst())
    await writer?.run()
    isPassed = writer.map { _ in true }
case "rounds":
    let writer = RoundWriter(arguments.dropFirst())
    await writer?.run()
    isPassed = writer.map { _ in true }
case "follow":
    let follower = Follower(arguments.dropFirst())
    await follower?.run()
    isPassed = follower.map { _ in true }
case "feed":
    let mirror = FeedMirror(arguments.dropFirst())
    await mirror?.run()
    isPassed = mirror.map { _ in true }
default: isPassed = nil
}
guard let isPassed else {
    report(usage)
    exit(2)
}
exit(isPassed ? 0 : 1)

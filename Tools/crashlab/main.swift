import Foundation

let usage = """
    usage: crashlab campaign [--layer L1..L5] [--seconds N] [--seed-from N] [--workers N] [--json]
           crashlab replay --layer L --seed N [--keep N,N,…] [--sabotage NAME]
           crashlab sabotage
           crashlab writer DIR SEED [--durability synced|written] [--tasks N] [--compact-at BYTES]

      campaign  runs each layer, or one, for so many seconds (60) over the seeds from N (0), and prints what
                it tried and found. A failure is shrunk and printed with the command that runs it again.
                Exit code 1 when something failed or a fault was never injected.
      replay    runs one seed of a layer again, whole or only the steps whose numbers are kept.
      sabotage  plants one fault after the other and tells which layer catches it.
      writer    opens the store in DIR and changes it until it is killed. On standard output, unbuffered:
                "open CUT" once it is open, with the bytes that recovery cut; "issue TASK N CALL" before
                each call and "done TASK N" after it was acknowledged.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
let isPassed: Bool?
switch arguments.first {
case "campaign": isPassed = await Laboratory.campaign(arguments.dropFirst())
case "replay": isPassed = Laboratory.replay(arguments.dropFirst())
case "sabotage": isPassed = await Laboratory.sabotage()
case "writer":
    let writer = Writer(arguments.dropFirst())
    await writer?.run()
    isPassed = writer.map { _ in true }
default: isPassed = nil
}
guard let isPassed else {
    report(usage)
    exit(2)
}
exit(isPassed ? 0 : 1)

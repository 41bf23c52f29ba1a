import Foundation

let usage = """
    usage: crashlab writer DIR SEED [--durability synced|written] [--tasks N] [--compact-at BYTES]

      writer   opens the store in DIR and changes it until it is killed. On standard output, unbuffered:
               "open CUT" once it is open, with the bytes that recovery cut; "issue TASK N CALL" before
               each call and "done TASK N" after it was acknowledged.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.first == "writer", let writer = Writer(arguments.dropFirst()) else {
    report(usage)
    exit(2)
}
await writer.run()

import CrashCampaigns
import Foundation

/// libFuzzer around `Fuzzing`: the first argument names what is fuzzed, the rest is libFuzzer's.
@main struct Fuzzer {
    private static let variable = "WALSTORE_FUZZING"

    static func main() {
        var arguments = CommandLine.arguments
        // libFuzzer starts itself again without the first argument, to merge or to work in several processes.
        let inherited = ProcessInfo.processInfo.environment[variable].flatMap(Fuzzing.init)
        let named = arguments.count > 1 ? Fuzzing(rawValue: arguments[1]) : nil
        guard let fuzzing = named ?? inherited else {
            print("usage: fuzzer scanner|store [libFuzzer's options] [corpus]")
            exit(2)
        }
        if named != nil { arguments.remove(at: 1) }
        setenv(variable, fuzzing.rawValue, 1)
        target = fuzzing
        var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var count = CInt(arguments.count)
        let code = strings.withUnsafeMutableBufferPointer { strings in
            var start = strings.baseAddress!
            return runDriver(&count, &start) { bytes, count in
                Fuzzer.judge(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
        exit(code)
    }

    private static func judge(_ bytes: [UInt8]) {
        do {
            try target.judge(bytes)
        } catch {
            // libFuzzer keeps the input of a process that traps.
            fatalError("\(error)")
        }
    }
}

/// Set once, before anything else runs.
nonisolated(unsafe) private var target = Fuzzing.scanner

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_silgen_name("LLVMFuzzerMutate")
private func mutateBlindly(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int

/// libFuzzer's own mutations half the time, most of them with checksums that are made to fit; else whole
/// lines and numbers.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var mutator = LineMutator(seed: UInt64(seed))
    func replace(_ new: [UInt8]) -> Int {
        let count = min(new.count, limit)
        for index in 0..<count { bytes[index] = new[index] }
        return count
    }
    func current(_ size: Int) -> [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: size)) }
    if seed % 2 == 0, size > 0 { return replace(mutator.mutate(current(size))) }
    let changed = mutateBlindly(bytes, size, limit)
    return changed == 0 || seed % 8 == 1 ? changed : replace(mutator.restamp(current(changed)))
}

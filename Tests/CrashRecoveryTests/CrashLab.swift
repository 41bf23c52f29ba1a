import Foundation
import TestSupport
import Testing

/// The program that the tests kill.
enum CrashLab {
    static func writer(_ arguments: [String], output: String) throws -> ChildProcess {
        try ChildProcess(try BuiltProgram.path("crashlab"), ["writer"] + arguments, output: output)
    }
}

import Foundation

/// What the command line asks for.
struct Options: Sendable {
    static let usage = """
        usage: walbench [--json] [--only P1,P2] [--who A,B] [--quick] [--rounds N] [--dir DIR]

          --json      figures as JSON in the place of the table
          --only      these operations alone; SCALE, the table of sizes, runs only when it is named
          --who       these contestants alone, as in WALStore,SQLite: for a profiler
          --quick     a twentieth of the records and 2 rounds: to see that it runs, not to judge
          --rounds    how often each contestant runs, in turn with the others; 5 unless set
          --dir       where the files go: one file system, a real disk; .build/walbench unless set
        """

    var isJSON = false
    var only: Set<String> = []
    var who: Set<String> = []
    var isQuick = false
    var rounds: Int?
    var directory = FileManager.default.currentDirectoryPath + "/.build/walbench"
    /// Set in a process that this program has started to open a store in.
    var child: (task: String, directory: String)?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw Failure("\(option) needs a value.\n\(Self.usage)")
            }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--json": isJSON = true
            case "--quick": isQuick = true
            case "--only":
                only = Set(try value(of: option).split(separator: ",").map { $0.uppercased() })
            case "--who":
                who = Set(try value(of: option).split(separator: ",").map { String($0) })
            case "--rounds":
                guard let number = Int(try value(of: option)), number > 0 else {
                    throw Failure("--rounds takes a number from 1.")
                }
                rounds = number
            case "--dir": directory = try value(of: option)
            case "--child": child = (try value(of: option), try value(of: option))
            default: throw Failure("\(option) is no option.\n\(Self.usage)")
            }
        }
    }

    var roundCount: Int { rounds ?? (isQuick ? 2 : 5) }

    /// A number of records or calls, less of it when quick.
    func scaled(_ count: Int) -> Int { isQuick ? max(1, count / 20) : count }
}

/// Why a measurement could not be taken, as a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

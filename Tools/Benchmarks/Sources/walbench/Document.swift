import Foundation

/// The one type that every contestant stores: about 195 bytes of JSON.
struct Document: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var title: String
    var body: String
    var rank: Int
    var score: Double
    var revision: Int

    /// The document with a number; each revision has other content of the same size.
    init(_ number: Int, revision: Int = 0) {
        id = Self.id(number)
        title = "Document \(number) of the store"
        body = "A body of some words, as long as a short note has them, and not the same twice: \(revision)"
        rank = number % 1_000
        score = Double(number % 997) / 8
        self.revision = revision
    }

    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "doc-" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }
}

/// A sequence of numbers that is the same in every run and every contestant.
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

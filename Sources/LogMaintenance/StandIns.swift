import LogFormat
import LogInspection

/// Gives each id another one of the same length: the same id the same, and two ids never one.
///
/// Ids may be names or addresses, so they are no less private than values.
struct StandIns {
    private var ids = IDTable()
    /// The rank of each id among those of its kind and length.
    private var ranks: [UInt32] = []
    private var counts: [Kind: UInt32] = [:]

    private struct Kind: Hashable {
        var isString: Bool
        var isNegative: Bool
        var length: Int
    }

    /// For strings of more than three bytes: letters and digits are enough, and easier to read.
    private static let plain = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    /// For short ones: all that needs no escape.
    private static let all = plain + Array(" !#$%&'()*+,-./:;<=>?@[]^_`{|}~".utf8)

    var count: Int { ids.count }

    mutating func standIn(for id: UnsafeRawBufferPointer) throws(MaintenanceError) -> [UInt8] {
        let kind = Kind(
            isString: id.first == UInt8(ascii: "\""),
            isNegative: id.first == UInt8(ascii: "-"),
            length: id.count
        )
        let index = ids.insert(id)
        if index == ranks.count {
            let rank = counts[kind, default: 0]
            counts[kind] = rank + 1
            ranks.append(rank)
        }
        guard let text = Self.text(kind, UInt64(ranks[index])) else {
            throw MaintenanceError(
                .inputOutput,
                "There are more ids of \(id.count) bytes than can be told apart in that length."
            )
        }
        return text
    }

    /// The spelling with a rank among those of a kind; nil when there are not so many.
    private static func text(_ kind: Kind, _ rank: UInt64) -> [UInt8]? {
        if kind.isString {
            let quote = UInt8(ascii: "\"")
            let length = kind.length - 2
            return digits(rank, length, length > 3 ? plain : all).map { [quote] + $0 + [quote] }
        }
        let sign: [UInt8] = kind.isNegative ? [UInt8(ascii: "-")] : []
        let decimal = Array("0123456789".utf8)
        let length = kind.length - sign.count
        // No number of several digits begins with 0, and none is -0.
        let lowestFirst: UInt8 = length == 1 && !kind.isNegative ? 0 : 1
        guard var text = digits(rank, length, decimal), text[0] <= UInt8(ascii: "9") - lowestFirst else {
            return nil
        }
        text[0] += lowestFirst
        return sign + text
    }

    /// A number in so many digits of an alphabet; nil when it does not fit.
    private static func digits(_ number: UInt64, _ length: Int, _ alphabet: [UInt8]) -> [UInt8]? {
        var text = [UInt8](repeating: alphabet[0], count: length)
        var rest = number
        var place = length
        while rest > 0 {
            guard place > 0 else { return nil }
            place -= 1
            text[place] = alphabet[Int(rest % UInt64(alphabet.count))]
            rest /= UInt64(alphabet.count)
        }
        return text
    }
}

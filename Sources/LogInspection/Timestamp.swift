/// Times as people write them: ISO 8601, in UTC where none is said, to the millisecond.
package enum Timestamp {
    private static let day: Int64 = 86_400_000

    /// `2026-11-30T07:00:00.000Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let days = milliseconds.flooredQuotient(day)
        let rest = milliseconds - days * day
        let (year, month, dayOfMonth) = civil(days)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
        let hour = padded(rest / 3_600_000, 2)
        let minute = padded(rest / 60_000 % 60, 2)
        let second = padded(rest / 1000 % 60, 2)
        return "\(date)T\(hour):\(minute):\(second).\(padded(rest % 1000, 3))Z"
    }

    /// The time in `2026-11-30`, `2026-11-30T07:00Z`, `2026-11-30T08:00:00.5+01:00`, or nil.
    ///
    /// A date alone is its first moment in UTC; with a time of day the zone must be said.
    static func milliseconds(_ text: String) -> Int64? {
        var scan = Scan(text)
        guard let year = scan.digits(4), scan.skip("-"), let month = scan.digits(2), scan.skip("-"),
            let dayOfMonth = scan.digits(2), (1...12).contains(month)
        else {
            return nil
        }
        let days = days(year, month, dayOfMonth)
        guard civil(days) == (year, month, dayOfMonth) else { return nil }
        if scan.isAtEnd { return days * day }
        guard scan.skip("T") || scan.skip("t") || scan.skip(" "), let time = scan.timeOfDay(),
            let zone = scan.zone(), scan.isAtEnd
        else {
            return nil
        }
        return days * day + time - zone
    }

    // MARK: The calendar, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"

    /// Days since 1970-01-01 to the date in the Gregorian calendar.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (value < 0 ? "-" : "") + zeros + digits
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// A position in a time's text.
private struct Scan {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard rest.count >= count else { return nil }
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            return nil
        }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    /// Milliseconds since midnight.
    mutating func timeOfDay() -> Int64? {
        guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60 else {
            return nil
        }
        var time = hour * 3_600_000 + minute * 60_000
        guard skip(":") else { return time }
        guard let second = digits(2), second < 60 else { return nil }
        time += second * 1000
        guard skip(".") else { return time }
        guard var fraction = digit() else { return nil }
        var length = 1
        while let digit = digit() {
            if length < 3 { fraction = fraction * 10 + digit }
            length += 1
        }
        while length < 3 {
            fraction *= 10
            length += 1
        }
        return time + fraction
    }

    /// How far the zone is ahead of UTC, in milliseconds.
    mutating func zone() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hour = digits(2), hour < 24 else { return nil }
        _ = skip(":")
        guard let minute = digits(2), minute < 60 else { return nil }
        let offset = hour * 3_600_000 + minute * 60_000
        return isAhead ? offset : -offset
    }
}

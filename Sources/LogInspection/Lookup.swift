import LogFormat

/// Prints the value of one record.
struct Lookup {
    let verification: Verification
    let id: CanonicalID
    let moment: Moment?
    let output: Output

    func run(json: Bool) throws(InspectionError) {
        let reading = try StateReading.read(verification, at: moment, only: id)
        guard let record = reading.live.place(of: id) else { throw try missing() }
        let value = try reading.value(of: record)
        if json {
            var line = JSONLine()
            line.add("id", json: id.spelling)
            line.add("seq", record.number)
            line.add("at", record.time)
            line.add("value", json: value)
            try output.write(line.finish())
        } else {
            try output.write(line: TerminalText.escaped(json: value))
        }
    }

    /// Digits on the command line are an integer; a string of the same digits is another id.
    private func missing() throws(InspectionError) -> InspectionError {
        let shown = TerminalText.escaped(json: id.spelling)
        let then = moment == nil ? "" : " at that moment"
        var message = "The store has no record \(shown)\(then)."
        if !id.isString {
            let string = CanonicalID(id.description)
            if try StateReading.read(verification, at: moment, only: string).live.count > 0 {
                message += " It has one whose id is the string \(string); write '\(string)' for it."
            }
        }
        return .notFound(message)
    }
}

import LogFormat
import LogStorage

/// Prints the newest records, and new ones as they come.
struct Tail {
    let printer: RecordPrinter
    let diagnostics: Output

    /// The last `count` records that count, each number once.
    func writeLast(_ count: Int, of verification: Verification) throws(InspectionError) {
        var places = Ring<Place>(count)
        try RecordReading.run(verification) { _, place, isNew, file in
            if isNew { places.append(Place(line: place, file: UInt32(file))) }
        }
        for place in places.inOrder {
            let judgement = verification.judgements[Int(place.file)]
            let line = try judgement.file.bytes(place.line.range)
            try line.withUnsafeBufferPointer { (line) throws(InspectionError) in
                // Between two readings only a writer that cut its log may have changed the line.
                guard let record = Record(verifying: UnsafeRawBufferPointer(line)) else { return }
                try printer.write(record, place.line, in: judgement.name)
            }
        }
    }

    private struct Place {
        var line: LinePlace
        var file: UInt32
    }

    /// Prints what is written from here on, until someone asks to stop.
    func follow(
        _ store: String,
        behind verification: Verification,
        _ fileSystem: any FileSystem,
        _ watch: ReadingWatch,
        pause: () -> Void
    ) throws(InspectionError) {
        var follower = LogFollower(store, behind: verification, fileSystem, watch)
        while true {
            let event: LogFollower.Event?
            do throws(InspectionError) {
                event = try follower.poll { (record, place, file) throws(InspectionError) in
                    try printer.write(record, place, in: file)
                }
            } catch .changed {
                // A writer cut or replaced the log between two readings of it.
                event = nil
            }
            try printer.output.flush()
            if let event { try tell(event) }
            pause()
            try watch.check()
        }
    }

    private func tell(_ event: LogFollower.Event) throws(InspectionError) {
        let sentence =
            switch event {
            case .cut(let first, let last):
                "Records \(first) to \(last) were cut when the store was opened; their numbers are given away anew."
            case .missed(let first, let last):
                "Records \(first) to \(last) were compacted away before they could be read."
            case .waiting(let file, let offset):
                "\(file) goes on at byte \(offset) with bytes that are no whole record; waiting for what becomes of them."
            }
        try diagnostics.write(line: "walstore: \(sentence)")
        try diagnostics.flush()
    }
}

/// The last elements of a sequence, up to a number of them.
struct Ring<Element> {
    private let limit: Int
    private var elements: [Element] = []
    /// Where the next one goes when it is full.
    private var next = 0

    init(_ limit: Int) {
        self.limit = limit
    }

    mutating func append(_ element: Element) {
        if elements.count < limit {
            elements.append(element)
        } else if limit > 0 {
            elements[next] = element
            next = (next + 1) % limit
        }
    }

    var inOrder: [Element] { Array(elements[next...] + elements[..<next]) }
}

import LogFormat

/// Prints records in the order of the files, those behind damage too.
struct Dump {
    let verification: Verification
    let selection: RecordSelection
    let printer: RecordPrinter

    func run() throws(InspectionError) {
        for judgement in verification.judgements { try dump(judgement) }
    }

    private func dump(_ judgement: FileJudgement) throws(InspectionError) {
        // Of a sound file no more than was judged: a writer may have gone on in space it wrote ahead.
        let end = judgement.isSound ? judgement.end : judgement.file.length
        var reader = FileReader(judgement.file, to: end)
        var isFirst = true
        while let line = try reader.next() {
            guard case .record(let record, let place) = line, selection.includes(record) else { continue }
            if isFirst, printer.form == .table {
                try printer.output.write(line: "\(judgement.name)")
                try printer.writeHeading()
            }
            isFirst = false
            let isTorn = judgement.tornFrom.map { place.offset >= $0 } ?? false
            try printer.write(record, place, isTorn: isTorn, in: judgement.name)
        }
    }
}

import LogFormat

/// The columns of a table of values: the id, then each member in the order in which they first come up.
///
/// A member `id` that always says the record's id is not repeated. A value that is no object stands in a
/// column `value`.
struct ExportColumns {
    private var names: [String] = []
    private var places: [String: Int] = [:]
    private var hasPlainValues = false
    private var memberIDDiffers = false

    /// A table with more columns is no table.
    private static let limit = 10_000

    mutating func observe(id: [UInt8], _ value: [UInt8]) throws(InspectionError) {
        let fits = value.withUnsafeBytes { value in
            guard let members = JSONText.members(of: value) else {
                hasPlainValues = true
                return true
            }
            for member in members {
                let name = JSONText.string(member.name) ?? ""
                if name == "id" {
                    if !member.value.elementsEqual(id) { memberIDDiffers = true }
                } else if places[name] == nil {
                    guard names.count < Self.limit else { return false }
                    places[name] = names.count
                    names.append(name)
                }
            }
            return true
        }
        guard fits else {
            throw .unfit("The values have more than \(Self.limit) members. Export them with --format jsonl.")
        }
    }

    var heading: [UInt8] {
        line(["id"] + (memberIDDiffers ? ["value.id"] : []) + names + (hasPlainValues ? ["value"] : []))
    }

    func row(id: [UInt8], _ value: [UInt8]) -> [UInt8] {
        var cells = [String](repeating: "", count: names.count)
        var (memberID, plain) = ("", "")
        value.withUnsafeBytes { value in
            guard let members = JSONText.members(of: value) else {
                plain = Self.text(value)
                return
            }
            for member in members {
                let name = JSONText.string(member.name) ?? ""
                if name == "id" {
                    memberID = Self.text(member.value)
                } else if let place = places[name] {
                    cells[place] = Self.text(member.value)
                }
            }
        }
        let id = id.withUnsafeBytes { Self.text($0) }
        return line([id] + (memberIDDiffers ? [memberID] : []) + cells + (hasPlainValues ? [plain] : []))
    }

    /// A string without its quotes and escapes, nothing for null, all else as it stands.
    private static func text(_ value: UnsafeRawBufferPointer) -> String {
        if let string = JSONText.string(value) { return string }
        let text = String(decoding: value, as: UTF8.self)
        return text == "null" ? "" : text
    }

    /// RFC 4180, with LF at the end.
    private func line(_ cells: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) {
                bytes.append(0x22)
                for byte in cell.utf8 {
                    if byte == 0x22 { bytes.append(byte) }
                    bytes.append(byte)
                }
                bytes.append(0x22)
            } else {
                bytes += cell.utf8
            }
        }
        bytes.append(0x0A)
        return bytes
    }
}

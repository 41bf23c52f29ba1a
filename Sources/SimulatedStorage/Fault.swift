package import LogStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An error that a simulated disk is told to give.
package struct Fault: Sendable, CustomStringConvertible {
    package enum Moment: Hashable, Sendable {
        /// The k-th operation that changes something, from 0; once.
        case operation(Int)
        /// That one and every later one.
        case operationsFrom(Int)
        /// The k-th call of any kind, reads too, from 0; once.
        case call(Int)
        case callsFrom(Int)
        /// Every call of a kind.
        case every(StorageError.Operation)
        /// The n-th call of a kind from now on, from 0; once.
        case nth(StorageError.Operation, Int)
        /// That one and every later one of the kind.
        case from(StorageError.Operation, Int)
    }

    package enum Effect: Hashable, Sendable {
        /// Nothing is done. A sync drops the dirty pages: they count as clean, and no later sync makes
        /// them stable.
        case nothing
        /// A write puts down its first bytes, at most so many. Anything else does nothing.
        case short(Int)
        /// All is done, and the error is given nevertheless.
        case done
        /// Nothing is done and no error is given: the disk lies. For syncs, truncations and removals.
        case lie
    }

    package var moment: Moment
    package var code: Int32
    package var effect: Effect
    /// Only for paths with this ending; nil for all.
    package var file: String?
    /// How many calls it has looked at that fit its kind and file.
    var seen = 0

    package init(_ moment: Moment, code: Int32 = EIO, effect: Effect = .nothing, file: String? = nil) {
        self.moment = moment
        self.code = code
        self.effect = effect
        self.file = file
    }

    package var description: String {
        "\(moment)\(file.map { " of \($0)" } ?? "") errno \(code), effect \(effect)"
    }

    /// Whether it strikes this call.
    mutating func strikes(_ kind: StorageError.Operation, _ path: String, operation: Int?, call: Int) -> Bool
    {
        if let file, !path.hasSuffix(file) { return false }
        switch moment {
        case .operation(let index): return operation == index
        case .operationsFrom(let index): return operation.map { $0 >= index } ?? false
        case .call(let index): return call == index
        case .callsFrom(let index): return call >= index
        case .every(let wanted): return kind == wanted
        case .nth(let wanted, let index):
            guard kind == wanted else { return false }
            seen += 1
            return seen == index + 1
        case .from(let wanted, let index):
            guard kind == wanted else { return false }
            seen += 1
            return seen > index
        }
    }
}

/// One operation that changed a simulated disk, or tried to.
package struct DiskOperation: Hashable, Sendable, CustomStringConvertible {
    package var kind: StorageError.Operation
    package var path: String
    /// Of a write; the new length of a truncation; else 0.
    package var offset: Int
    /// Of a write; else 0.
    package var length: Int
    /// Of a rename.
    package var newPath: String?

    package var description: String {
        let name = DiskPath.name(of: path)
        return switch kind {
        case .write: "write \(name) @\(offset) +\(length)"
        case .truncate: "truncate \(name) to \(offset)"
        case .rename: "rename \(name) to \(newPath.map(DiskPath.name) ?? "")"
        case .createDirectory: "createDirectory \(name)"
        case .syncDirectory: "syncDirectory \(name)"
        default: "\(kind) \(name)"
        }
    }
}

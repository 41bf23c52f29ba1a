extension CommandWords {
    // MARK: Where a new store goes

    /// The value of `--out`, which may not be the store itself or lie in it.
    func out() throws(UsageError) -> String {
        guard let out = options["--out"] else {
            throw UsageError("\(command.rawValue) needs --out DIR", in: command)
        }
        guard !out.isEmpty else { throw UsageError("The DIR of --out is empty", in: command) }
        if Self.isPath(out, in: operands[0]) {
            throw UsageError("--out \(out) is STORE or lies in it, and STORE stays as it is", in: command)
        }
        return Self.withoutSlashes(out)
    }

    /// The value of `--html`, which may not lie in the store.
    func pageFile() throws(UsageError) -> String {
        guard let path = options["--html"] else { throw UsageError("report needs --html FILE", in: command) }
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw UsageError("The FILE of --html is no file's name", in: command)
        }
        if Self.isPath(path, in: operands[0]) {
            throw UsageError("--html \(path) lies in STORE, and STORE stays as it is", in: command)
        }
        return path
    }

    /// Whether a path is that of a directory or lies in it, as far as the text tells.
    private static func isPath(_ path: String, in directory: String) -> Bool {
        let path = components(path)
        let directory = components(directory)
        // The working directory has no name in a path. What lies in it is relative and does not leave it.
        if directory.isEmpty { return path.first != "/" && path.first != ".." }
        return path.starts(with: directory)
    }

    /// The names on the way to a path, as far as the text tells.
    private static func components(_ path: String) -> [Substring] {
        var components: [Substring] = path.hasPrefix("/") ? ["/"] : []
        for name in path.split(separator: "/") where name != "." {
            if name == "..", let last = components.last, last != "..", last != "/" {
                components.removeLast()
            } else {
                components.append(name)
            }
        }
        return components
    }

    // MARK: Quarantined bytes

    /// The second operand without its ending: what the bytes and their note are called.
    func quarantineName() throws(UsageError) -> String {
        var name = operands[1]
        for ending in [".bytes", ".json"] where name.hasSuffix(ending) && name.count > ending.count {
            name.removeLast(ending.count)
            break
        }
        guard !name.contains("/"), name != ".", name != ".." else {
            throw UsageError("\(name) is no name that quarantine list prints, but a path", in: command)
        }
        return name
    }

    /// The same, of bytes that can be brought back.
    func restorableName() throws(UsageError) -> String {
        let name = try quarantineName()
        guard !name.hasPrefix("snapshot-") else {
            throw UsageError(
                "\(name) was a snapshot, and an older state may not overwrite a newer one; "
                    + "look at it with quarantine show",
                in: command
            )
        }
        return name
    }

    func quarantineForm() throws(UsageError) -> QuarantineForm {
        switch (flags.contains("--json"), flags.contains("--raw")) {
        case (true, true): throw UsageError("--json and --raw exclude each other", in: command)
        case (true, false): return .json
        case (false, true): return .raw
        case (false, false): return .text
        }
    }
}

extension StorageFile {
    /// Reads exactly as many bytes as `buffer` holds; a file that ends before is an error.
    package func readAll(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, path: String)
        throws(StorageError)
    {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(at: offset + UInt64(done), into: rest)
            guard count > 0 else {
                throw StorageError(
                    .read,
                    path,
                    code: 0,
                    reason: "the file ended before byte \(offset + UInt64(buffer.count))"
                )
            }
            done += count
        }
    }

    /// The bytes of a range; a file that ends before its end is an error.
    package func bytes(in range: Range<UInt64>, path: String) throws(StorageError) -> [UInt8] {
        // Of an empty array the runtime would write the count into memory that all of them share.
        guard !range.isEmpty else { return [] }
        let count = Int(range.upperBound - range.lowerBound)
        var failure: StorageError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(StorageError) {
                try readAll(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer), path: path)
                initialized = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    package func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            try write(UnsafeRawBufferPointer(bytes), at: offset)
        }
    }
}

package import LogStorage

/// A stream of text that a command prints, collected into large pieces.
package final class Output {
    /// Takes bytes; false when nobody reads them any longer.
    package typealias Sink = (UnsafeRawBufferPointer) -> Result<Bool, StorageError>

    private let sink: Sink
    private let capacity: Int
    private var buffer: [UInt8] = []

    package init(capacity: Int = 64 << 10, _ sink: @escaping Sink) {
        self.sink = sink
        self.capacity = capacity
    }

    package func write(_ text: String) throws(InspectionError) {
        buffer += text.utf8
        if buffer.count >= capacity { try flush() }
    }

    package func write(line text: String) throws(InspectionError) {
        buffer += text.utf8
        buffer.append(0x0A)
        if buffer.count >= capacity { try flush() }
    }

    package func write(_ bytes: [UInt8]) throws(InspectionError) {
        buffer += bytes
        if buffer.count >= capacity { try flush() }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(InspectionError) {
        buffer += bytes
        if buffer.count >= capacity { try flush() }
    }

    /// Hands on what was collected. Bytes that could not be handed on are forgotten.
    package func flush() throws(InspectionError) {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        switch buffer.withUnsafeBytes(sink) {
        case .success(true): return
        case .success(false): throw .brokenPipe
        case .failure(let error): throw .storage(error)
        }
    }
}

#if canImport(os)
    public import os

    extension StoreEvent {
        /// Writes the event to the system's log, at the level that fits. Its text is private there, as it
        /// may name ids.
        ///
        /// ```swift
        /// import os
        ///
        /// let logger = Logger(subsystem: "com.example.notes", category: "store")
        /// configuration.log = { $0.write(to: logger) }
        /// ```
        public func write(to logger: Logger) {
            switch level {
            case .info: logger.info("\(description)")
            case .warning: logger.warning("\(description)")
            case .error: logger.error("\(description)")
            }
        }
    }
#endif

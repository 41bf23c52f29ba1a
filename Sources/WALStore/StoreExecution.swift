import LogStorage

/// Who runs what a repository does beside the calls of others: the runtime and threads of its own, or a
/// test that decides what comes next.
package struct StoreExecution: Sendable {
    /// For the tasks that the repository begins; nil for the runtime's own choice.
    package var tasks: (any TaskExecutor)?

    /// Makes the executor of calls that block.
    package var blocking: @Sendable (_ label: String) -> any SerialExecutor = { SyncExecutor(label: $0) }

    /// Whether a saver may run its own sync; nil where one permit for the process decides.
    package var mayLead: (@Sendable () -> Bool)?

    package init() {}
}

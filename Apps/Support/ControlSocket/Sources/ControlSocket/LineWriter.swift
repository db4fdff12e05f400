import Sockets

/// Sends lines of several tasks over one connection, whole and in the order in which they were given. Who sends waits while
/// more is queued than the other side reads.
///
/// Writing is done by a task of its own, because a connection is closed when the task that writes is cancelled: a request
/// that is cancelled must not take the others with it.
actor LineWriter {
    private let connection: Connection
    private let stallTime: Duration
    private var pending: [UInt8] = []
    /// What is pending and what is being written.
    private var queued = 0
    private var isWriting = false
    private var failure: SocketsError?
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter = 0

    /// Senders wait when more bytes than these are queued.
    private static let capacity = 256 * 1024
    private static let piece = 64 * 1024

    /// - Parameter stallTime: How long the other side may take nothing before the connection is closed.
    init(_ connection: Connection, stallTime: Duration) {
        self.connection = connection
        self.stallTime = stallTime
    }

    /// Queues a line, and waits for room if there is none. The line is sent even when the task is cancelled while it waits.
    /// - Throws: Why the connection takes no more.
    func send(_ line: [UInt8]) async throws(SocketsError) {
        if let failure { throw failure }
        pending.append(contentsOf: line)
        queued += line.count
        if !isWriting {
            isWriting = true
            Task { await self.drain() }
        }
        guard queued > Self.capacity else { return }
        await wait()
        if let failure { throw failure }
    }

    /// Waits until all that was queued has been handed over, or the connection has failed.
    func flush() async {
        while isWriting, !Task.isCancelled { await wait() }
    }

    private func wait() async {
        lastWaiter += 1
        let waiter = lastWaiter
        // The continuation is in its place before the actor runs anything else, `release` among it.
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[waiter] = $0 }
        } onCancel: {
            Task { await self.release(waiter) }
        }
    }

    private func release(_ waiter: Int) {
        waiting.removeValue(forKey: waiter)?.resume()
    }

    private func drain() async {
        do throws(SocketsError) {
            while !pending.isEmpty {
                let batch = pending
                pending = []
                var start = 0
                while start < batch.count {
                    let end = min(batch.count, start + Self.piece)
                    let piece = start == 0 && end == batch.count ? batch : Array(batch[start..<end])
                    try await connection.write(piece, within: stallTime)
                    queued -= end - start
                    start = end
                    if queued <= Self.capacity { wakeAll() }
                }
            }
        } catch {
            failure = error
            pending = []
            queued = 0
            await connection.abort()
        }
        isWriting = false
        wakeAll()
    }

    private func wakeAll() {
        let woken = waiting
        waiting = [:]
        for continuation in woken.values { continuation.resume() }
    }
}

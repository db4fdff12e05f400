import Locking
import Sockets

extension EventLoop {
    /// Makes something on the loop for a task elsewhere. The value goes through a lock, and the continuation only wakes:
    /// the thread sanitiser does not see a continuation that was resumed before its task waited.
    func make<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        let made = Locked<Value?>(nil)
        await withCheckedContinuation { continuation in
            execute {
                let value = body()
                made.withLock { $0 = value }
                continuation.resume()
            }
        }
        return made.withLock { $0 }
    }
}

/// Wakes those who wait for something to change.
struct Waiting {
    private var all: [Int: AsyncStream<Void>.Continuation] = [:]
    private var last = 0

    /// Adds somebody who is woken at every change, until ``end(_:)`` with the number.
    mutating func begin() -> (number: Int, changes: AsyncStream<Void>) {
        last += 1
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        all[last] = continuation
        return (last, changes)
    }

    /// Ends somebody's waiting.
    mutating func end(_ number: Int) {
        all.removeValue(forKey: number)?.finish()
    }

    /// Something has changed.
    func wake() {
        for continuation in all.values { continuation.yield() }
    }
}

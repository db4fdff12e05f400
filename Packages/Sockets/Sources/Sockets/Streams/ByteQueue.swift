/// Bytes waiting to go out: taken from the front, added at the back, and no memory kept once empty.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var head = 0

    var count: Int { bytes.count - head }
    var isEmpty: Bool { bytes.count == head }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        // Moving what is left costs at most what was dropped before it.
        if head > 64 * 1024, head > bytes.count / 2 {
            bytes.removeFirst(head)
            head = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func prepend(_ earlier: [UInt8]) {
        bytes.replaceSubrange(0..<head, with: earlier)
        head = 0
    }

    mutating func drop(_ count: Int) {
        head += min(count, self.count)
        guard head == bytes.count else { return }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4096)
        head = 0
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }

    /// The bytes from the front, at most so many; they leave the queue.
    mutating func take(_ limit: Int) -> [UInt8] {
        let end = head + min(limit, count)
        let taken = Array(bytes[head..<end])
        drop(taken.count)
        return taken
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }
}

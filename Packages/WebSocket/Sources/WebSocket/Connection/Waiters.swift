/// Tasks that are suspended in a connection, in the order in which they came.
struct Waiters {
    enum Kind {
        case reader
        case writer
        case closer
    }

    typealias Outcome = Result<Void, WebSocketError>

    private struct Waiter {
        let id: UInt64
        let kind: Kind
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private var waiting: [Waiter] = []
    private var nextID: UInt64 = 0

    mutating func newID() -> UInt64 {
        nextID &+= 1
        return nextID
    }

    mutating func add(_ id: UInt64, _ kind: Kind, _ continuation: CheckedContinuation<Outcome, Never>) {
        waiting.append(Waiter(id: id, kind: kind, continuation: continuation))
    }

    func contains(_ kind: Kind) -> Bool {
        waiting.contains { $0.kind == kind }
    }

    /// False when the waiter has been resumed already.
    mutating func resume(_ id: UInt64, _ outcome: Outcome) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: index).continuation.resume(returning: outcome)
        return true
    }

    mutating func resumeAll(_ kind: Kind) {
        guard contains(kind) else { return }
        let resumed = waiting.filter { $0.kind == kind }
        waiting.removeAll { $0.kind == kind }
        for waiter in resumed { waiter.continuation.resume(returning: .success(())) }
    }
}

import Locking
import NostrEvents

/// Which of the kept statements a reading of the whole history has not met yet. What is left at the end, relays have lost.
final class Coverage: Sendable {
    private let missing: Locked<Set<EventID>>

    /// - Parameter kept: The rumors that relays should have.
    init(_ kept: Set<EventID>) {
        missing = Locked(kept)
    }

    func met(_ rumors: some Sequence<EventID>) {
        missing.withLock { missing in
            guard !missing.isEmpty else { return }
            for rumor in rumors { missing.remove(rumor) }
        }
    }

    /// What was not met.
    var left: Set<EventID> { missing.withLock { $0 } }
}

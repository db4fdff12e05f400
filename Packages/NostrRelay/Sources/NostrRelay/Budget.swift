import Synchronization

/// What all clients may hold together of something.
///
/// No client may hold more than is left for all others. So those who hold most are the first who have too much, the more so the
/// less is left, and there is always something for whoever comes next.
final class Budget: Sendable {
    private let total: Int
    private let holdings = Atomic(0)

    init(_ total: Int) {
        self.total = total
    }

    /// What is held now.
    var held: Int { holdings.value }

    /// Counts what somebody holds more, or less.
    func add(_ change: Int) {
        holdings.add(change)
    }

    /// Whether somebody who holds so much, which is counted, may hold so much more, which is not yet.
    func allows(_ holding: Int, adding more: Int = 0) -> Bool {
        holding + more <= total - held - more
    }
}

import Locking
import NostrEvents
import NostrRelay

/// A relay that refuses what its rule names, in words of its own.
final class Doorkeeper: RelayPolicy {
    typealias Rule = @Sendable (Event) -> Bool
    private let refuses = Locked<Rule> { _ in false }

    func refuse(_ rule: @escaping Rule) { refuses.withLock { $0 = rule } }

    func accept(_ event: Event, from client: RelayClient) -> PolicyDecision {
        refuses.withLock { $0 }(event) ? .refuse(.blocked, "not today") : .accept
    }
}

extension Village {
    static func guarded(_ rule: @escaping Doorkeeper.Rule = { _ in false }) async throws -> (
        Village, Doorkeeper
    ) {
        let door = Doorkeeper()
        door.refuse(rule)
        return (try await Village(policies: [door]), door)
    }
}

public import NostrCrypto

/// Events that only their author may publish (NIP-70).
public enum Protection {
    /// The tag that protects an event: `["-"]`.
    public static let tag = Tag("-")

    /// Whether the event is protected.
    public static func isProtected(_ tags: some Sequence<Tag>) -> Bool {
        tags.contains { $0.name == "-" }
    }

    /// Whether a relay may take an event from a client that has authenticated itself as `authenticated` (NIP-42).
    public static func mayPublish(_ event: Event, authenticated: Set<Bytes32>) -> Bool {
        !isProtected(event.tags) || authenticated.contains(event.pubkey)
    }

    /// Whether the event is a repost (kind 6 or 16) that carries a protected event, which relays should refuse.
    public static func embedsProtectedEvent(_ event: Event, limits: EventLimits = .standard) -> Bool {
        guard event.kind == .repost || event.kind == .genericRepost else { return false }
        guard let embedded = try? WireEvent(json: event.content, limits: limits) else { return false }
        return isProtected(embedded.tags)
    }
}

import NostrCrypto
public import NostrEvents

/// Waits for the history of every relay that can be reached before anything is decided: the newest version may be on the slowest
/// one.
///
/// A value without clock or network; the caller says what happens.
public struct PreferenceRestore: Sendable {
    private var waiting: Set<String>
    /// Relays that have sent everything.
    public private(set) var finished: Set<String> = []
    /// Relays that were there and went, or gave no answer in time: what only they have is missing.
    public private(set) var missing: Set<String> = []
    private var best: [ExactText: Event] = [:]

    /// Starts with the relays that are connected now.
    public init(relays: Set<String>) {
        waiting = relays
    }

    /// Whether every relay that can be reached has sent everything, and there is one.
    public var isComplete: Bool { waiting.isEmpty && !finished.isEmpty }

    /// A relay was reached meanwhile, or again: it is waited for too.
    public mutating func connect(_ relay: String) {
        missing.remove(relay)
        finished.remove(relay)
        waiting.insert(relay)
    }

    /// Takes a checked event of kind 30078; of each item the newest is kept.
    public mutating func receive(_ event: Event) {
        guard event.kind == .applicationData else { return }
        let key = ExactText(event.pubkey.hex + event.tags.identifier)
        if let known = best[key], ReplaceableVersion(event) <= ReplaceableVersion(known) { return }
        best[key] = event
    }

    /// A relay has sent everything.
    public mutating func finish(_ relay: String) {
        if waiting.remove(relay) != nil { finished.insert(relay) }
    }

    /// A relay has gone, refused, or let its time pass.
    public mutating func fail(_ relay: String) {
        if waiting.remove(relay) != nil { missing.insert(relay) }
    }

    /// The newest event of each item, to be received by a book in this order; nil before the restore is complete.
    public var events: [Event]? {
        guard isComplete else { return nil }
        return best.values.sorted { ReplaceableVersion($0) < ReplaceableVersion($1) }
    }
}

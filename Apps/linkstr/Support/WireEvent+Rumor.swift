import NostrEvents

extension WireEvent {
    /// What the event says, with the id that it must have.
    var rumor: Rumor {
        Rumor(pubkey: pubkey, kind: kind, content: content, tags: Array(tags), createdAt: createdAt)
    }
}

import NostrEvents

/// An event on its way from a client to the database.
struct IngestItem: Sendable {
    enum Purpose: Sendable {
        /// It is to be stored.
        case publish
        /// It answers this challenge (NIP-42).
        case authenticate(challenge: String)
    }

    let event: WireEvent
    let purpose: Purpose
    let session: Session
    /// The client as it was when the event came.
    let client: RelayClient
    /// Bytes of the message.
    let size: Int
}

/// What became of an event.
struct IngestAnswer: Sendable {
    let id: EventID
    let isAccepted: Bool
    let status: StatusMessage
    /// The key that the event has authenticated.
    let authenticated: Event?
    let size: Int
}

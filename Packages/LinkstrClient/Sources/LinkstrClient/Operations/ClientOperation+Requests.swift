import LinkstrSessions
import NostrCrypto
import NostrEvents

extension ClientOperation {
    static let requestOperations: [ClientOperation] = [
        sessionRequests, sessionAccept, sessionDecline, sessionBlock, sessionUnblock, sessionCreator,
    ]

    private static let session = OperationField("session", .text, "Its id, its name, or the beginning of its id")
    private static let key = OperationField("key", .hex, "A public key")

    /// Sessions by strangers that wait for a word.
    public static let sessionRequests = ClientOperation(
        "session.requests",
        "List sessions by people who are no contacts, which wait for a word",
        takes: [OperationField("declined", .bool, optional: true, "Those that were declined instead")],
        gives: SessionSummary.fields
    ) { call in
        try await call.runtime.requests(declined: call.flag("declined")).map(\.value)
    }

    /// Takes a session by a stranger in, also one that was declined.
    public static let sessionAccept = answer(
        "session.accept",
        "Accept a session, also one that was declined",
        isYes: true
    )
    /// Hides a session by a stranger for good.
    public static let sessionDecline = answer(
        "session.decline",
        "Hide a session; accepting it brings it back",
        isYes: false
    )

    private static func answer(_ name: String, _ summary: String, isYes: Bool) -> ClientOperation {
        ClientOperation(name, summary, takes: [session], gives: SessionSummary.fields) { call in
            let found = try await call.runtime.session(named: call.text("session"), isRequest: true)
            try await isYes ? call.runtime.accept(found.id) : call.runtime.decline(found.id)
            return try await call.runtime.store.session(found.id).map { [$0.value] } ?? []
        }
    }

    /// Hides what one key posts in a session.
    public static let sessionBlock = block(
        "session.block",
        "Hide what one key posts in a session, on this device",
        true
    )
    /// Shows it again.
    public static let sessionUnblock = block("session.unblock", "Show again what a blocked key posts", false)

    private static func block(_ name: String, _ summary: String, _ isBlocked: Bool) -> ClientOperation {
        ClientOperation(name, summary, takes: [session, key]) { call in
            let found = try await call.runtime.session(named: call.text("session"))
            try await call.runtime.store.setBlocked(isBlocked, try call.key("key").bytes, in: found.id)
            return []
        }
    }

    /// Says whose a session is that several claim to have made.
    public static let sessionCreator = ClientOperation(
        "session.creator",
        "Confirm who made a contested session, or choose another claimant",
        takes: [session, key],
        gives: SessionSummary.fields
    ) { call in
        let found = try await call.runtime.session(named: call.text("session"))
        _ = try await call.runtime.store.setCreator(try call.key("key").bytes, of: found.id)
        return try await call.runtime.store.session(found.id).map { [$0.value] } ?? []
    }
}

import LinkstrSessions
import NostrEvents

extension ClientOperation {
    /// Reads what is new.
    public static let sync = ClientOperation(
        "sync",
        "Read what is new from all relays",
        takes: [OperationField("full", .bool, optional: true, "Read the whole history again")],
        gives: [
            OperationField("messages", .integer, "How many messages were opened"),
            OperationField("posts", .integer, "How many posts are new"),
            OperationField("sessions", .integer, "How many sessions are new"),
            OperationField("complete", .list(.text), "The relays that were read to their end"),
        ]
    ) { call in
        let report = try await call.catchUp(call.flag("full") ? .full : .recent)
        guard report.hasAnswer else { throw ClientError.noRelayReached(report.incomplete) }
        for hidden in try await call.runtime.hiddenPosts() { call.warn(hidden.namedSentence) }
        let posts = report.effects.compactMap { if case .posted(_, let id, _, _) = $0 { id } else { nil } }
        // While it is connected the runtime does so by itself.
        if await !call.runtime.isLive { await call.runtime.fetchMetadata(of: posts) }
        let sessions = report.effects.count { if case .appeared = $0 { true } else { false } }
        return [
            [
                "messages": .integer(Int64(report.opened)), "posts": .integer(Int64(posts.count)),
                "sessions": .integer(Int64(sessions)), "complete": .array(report.complete.map { .string($0.text) }),
            ]
        ]
    }
}

extension OperationCall {
    /// Reads what relays hold, and says which was not read to its end.
    @discardableResult
    public func catchUp(_ extent: AccountRuntime.Extent = .recent) async throws(ClientError) -> AccountRuntime.Report {
        let report = try await runtime.catchUp(extent) { [self] in progress(OperationProgress("messages", count: $0)) }
        for (relay, reason) in report.incomplete.sorted(by: { $0.key.text < $1.key.text }) {
            warn("\(relay.text) was not read to its end: \(reason)")
        }
        return report
    }

    /// Catches up before something is sent, so that recipients are chosen from what is true now.
    /// - Throws: ``OperationFailure``.
    public func catchUpBeforeSending() async throws(OperationFailure) {
        do {
            try await withinTimeout {
                // Whether anything can be sent is for the sending to say; with no relay it says why.
                if try await !catchUp().hasAnswer { try await runtime.waitForRelay() }
            }
        } catch {
            throw OperationFailure(error)
        }
    }
}

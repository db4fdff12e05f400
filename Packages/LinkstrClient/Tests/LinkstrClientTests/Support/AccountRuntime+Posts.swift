import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

extension AccountRuntime {
    /// Makes a session.
    func make(_ name: String, with members: [Bytes32]) async throws -> SessionLog {
        let sent = try await send(planner().create(name: name, members: members))
        return try #require(try await store.log(sent.outgoing.fact.session))
    }

    /// Posts a link.
    @discardableResult
    func post(_ path: String, in log: SessionLog) async throws -> EventID {
        try await send(planner().post(WebURL("https://example.com/" + path), in: log)).outgoing.fact.id
    }
}

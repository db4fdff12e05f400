import LinkstrLinks
public import LinkstrSessions
public import NostrCrypto
import NostrEvents

extension AccountRuntime {
    /// What somebody is called, as far as it is known here: the person's own name for them before the one they published.
    func shownName(of key: Bytes32) -> String? { alias(of: key) ?? publishedName(of: key) }

    /// Whom the person means by an alias of their own. What others call themselves means nobody.
    /// - Throws: ``ClientError/unknownAlias(_:)``, ``ClientError/ambiguousAlias(_:_:)``.
    public func key(called text: String) throws(ClientError) -> Bytes32 {
        let wanted = text.linkstrTrimmed
        let found = aliases.filter { $0.value == wanted }.keys.sorted()
        guard found.count <= 1 else { throw .ambiguousAlias(text, found) }
        guard let key = found.first else { throw .unknownAlias(text) }
        return key
    }

    /// The session that a person means: by its id, its name, or the beginning of its id of 4 or more characters, if that is
    /// unambiguous. Who makes a session chooses its name and may choose its id, so neither comes before what another one is
    /// called, and what strangers offer is meant only where nothing else is.
    /// - Parameter isRequest: Whether it is what strangers offer, and something else only where nothing of that is.
    /// - Throws: ``ClientError/unknownSession(_:)``, ``ClientError/ambiguousSession(_:_:)``.
    public nonisolated func session(
        named text: String,
        isRequest: Bool = false
    ) async throws(ClientError) -> SessionSummary {
        let all: [SessionSummary]
        do throws(SessionStoreError) { all = try await store.sessions() } catch { throw .store(error) }
        guard let wanted = SessionID(text) else { throw .unknownSession(text) }
        let offered = all.filter { $0.request == .waiting || $0.request == .declined }
        let others = all.filter { $0.request != .waiting && $0.request != .declined }
        for sessions in isRequest ? [offered, others] : [others, offered] {
            let found = Self.meant(by: wanted, among: sessions)
            guard found.count <= 1 else { throw .ambiguousSession(text, found.map(\.id)) }
            if let session = found.first { return session }
        }
        throw .unknownSession(text)
    }

    private nonisolated static func meant(by wanted: SessionID, among sessions: [SessionSummary]) -> [SessionSummary] {
        // Nobody can be called by another one's whole id.
        if wanted.isDrawn, let exact = sessions.first(where: { $0.id == wanted }) { return [exact] }
        return sessions.filter { session in
            session.id == wanted || session.name.map { ExactText($0) == wanted.exact } ?? false
                || (wanted.text.utf8.count >= 4 && session.id.text.hasPrefix(wanted.text))
        }
    }

    /// The post that a person means: by its id or the beginning of it.
    /// - Throws: ``ClientError/unknownPost(_:)``, ``ClientError/ambiguousPost(_:_:)``.
    public nonisolated func post(named text: String) async throws(ClientError) -> FeedItem {
        let found: [FeedItem]
        do throws(SessionStoreError) { found = try await posts(beginningWith: text) } catch { throw .store(error) }
        guard found.count <= 1 else { throw .ambiguousPost(text, found.map(\.post.id)) }
        guard let item = found.first else { throw .unknownPost(text) }
        return item
    }

    private nonisolated func posts(beginningWith text: String) async throws(SessionStoreError) -> [FeedItem] {
        if let id = try? EventID(hex: text) { return try await store.post(id).map { [$0] } ?? [] }
        guard text.utf8.count >= 4 else { return [] }
        return try await store.posts(idPrefix: text.lowercased())
    }
}

public import LinkstrSessions
import NostrContacts
import NostrCrypto

/// Sessions by people who are no contacts wait for a word of the person. That is local: nothing of it is sent.
extension AccountRuntime {
    /// The sessions that wait for a word, or were declined.
    /// - Throws: ``ClientError/store(_:)``.
    public func requests(declined: Bool = false) async throws(ClientError) -> [SessionSummary] {
        do throws(SessionStoreError) {
            let wanted: SessionRequest = declined ? .declined : .waiting
            return try await store.sessions().filter { $0.request == wanted }
        } catch {
            throw .store(error)
        }
    }

    /// Accepts a session by a stranger, also one that was declined.
    /// - Throws: ``ClientError/store(_:)``.
    public func accept(_ id: SessionID) async throws(ClientError) {
        try await answer(id, .accepted)
    }

    /// Hides a session by a stranger for good, until it is accepted.
    /// - Throws: ``ClientError/store(_:)``.
    public func decline(_ id: SessionID) async throws(ClientError) {
        try await answer(id, .declined)
    }

    private func answer(_ id: SessionID, _ answer: SessionRequest) async throws(ClientError) {
        do throws(SessionStoreError) {
            guard try await store.session(id, countingUnreadUpTo: 0) != nil else {
                throw SessionStoreError.unknownSession
            }
            try await store.setRequest(answer, id)
            if let summary = try await store.session(id) { hub.tell(.sessionChanged(summary)) }
        } catch {
            throw .store(error)
        }
    }

    /// Who says something in a session has accepted it.
    func accept(_ fact: Fact) async throws(SessionStoreError) {
        switch fact.statement {
        case .root, .reaction: break
        case .snapshot, .sessionDelete, .rootDelete: return
        }
        guard let session = try await store.session(fact.session, countingUnreadUpTo: 0) else { return }
        guard session.request == .waiting || session.request == .declined else { return }
        try await store.setRequest(.accepted, fact.session)
        if let summary = try await store.session(fact.session) { hub.tell(.sessionChanged(summary)) }
    }

    /// Decides about sessions that are new, before anybody is told of them, and about those that another device of the person has
    /// answered in.
    func reviewRequests(after effects: [SessionEffect]) async throws(SessionStoreError) {
        let followed = await editor.state.list?.keys ?? []
        for effect in effects {
            switch effect {
            case .appeared(let id):
                if let session = try await store.session(id, countingUnreadUpTo: 0) {
                    try await review(session, followed)
                }
            case .posted(let id, _, _, .own), .reacted(let id, _, _, _, _, .own):
                guard let session = try await store.session(id, countingUnreadUpTo: 0), session.request == .waiting
                else { continue }
                try await store.setRequest(.accepted, id)
            default: break
            }
        }
    }

    /// Decides about all sessions anew, for instance because the contacts have changed.
    func reviewAllRequests() async throws(SessionStoreError) {
        let followed = await editor.state.list?.keys ?? []
        for session in try await store.sessions(countingUnreadUpTo: 0) { try await review(session, followed) }
    }

    private func review(_ session: SessionSummary, _ followed: Set<Bytes32>) async throws(SessionStoreError) {
        guard session.request == .none || session.request == .waiting else { return }
        let isKnown =
            session.creator == account || followed.contains(session.creator) || !settings.requestsByStrangers
        if isKnown {
            guard session.request == .waiting else { return }
            try await store.setRequest(.accepted, session.id)
        } else if session.request == .none {
            let isAnswered = try await hasAnswered(session.id)
            try await store.setRequest(isAnswered ? .accepted : .waiting, session.id)
        } else if try await hasAnswered(session.id) {
            try await store.setRequest(.accepted, session.id)
        } else {
            return
        }
        if let summary = try await store.session(session.id) { hub.tell(.sessionChanged(summary)) }
    }

    /// Whether the person has posted or reacted in a session, on whatever device.
    private func hasAnswered(_ id: SessionID) async throws(SessionStoreError) -> Bool {
        var query = FeedQuery(session: id, limit: 500)
        for _ in 0..<Self.mostPagesForAnswers {
            let page = try await store.feed(query)
            let isAnswered = page.items.contains { item in
                item.post.sender == account || item.reactions.contains { $0.senders.contains(account) }
            }
            if isAnswered { return true }
            guard let next = page.next else { return false }
            query.before = next
        }
        return false
    }

    /// So many pages of 500 posts are searched for an answer of the person.
    private static var mostPagesForAnswers: Int { 20 }
}

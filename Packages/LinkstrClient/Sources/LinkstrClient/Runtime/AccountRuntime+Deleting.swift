public import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrTransport

/// Ending posts and sessions, here, at the members and on relays.
extension AccountRuntime {
    /// What became of a deletion.
    public struct Deletion: Sendable {
        /// What went out to the members; nil where it did not, and the deletion counts here alone.
        public internal(set) var notice: Sent?
        /// What the person should know, in sentences.
        public internal(set) var warnings: [String] = []
    }

    /// Deletes an own post: asks relays to drop the copies, and tells everybody who ever was in the session.
    /// - Parameter keepingCopies: Whether it is deleted also where every relay refuses to drop the copies.
    /// - Throws: ``ClientError``; nothing is changed then. ``ClientError/copiesRefused(_:)`` can be overridden.
    public func delete(_ item: FeedItem, keepingCopies: Bool = false) async throws(ClientError) -> Deletion {
        let plan: Outgoing
        let wraps: [WrapReference]
        do {
            guard let log = try await store.log(item.session) else { throw OutgoingError.unknownSession }
            plan = try planner().delete(item.post, in: log)
            wraps = try await store.wraps(of: item.post.id)
        } catch let error as OutgoingError {
            throw .notPermitted(error)
        } catch let error as SessionStoreError {
            throw .store(error)
        } catch {
            throw .notPermitted(.unknownPost)
        }
        let requests = removalRequests(for: wraps)
        guard !requests.isEmpty else {
            var deletion = Deletion(notice: try await send(plan))
            deletion.warnings.append("Relays cannot be asked to drop the copies of this older post.")
            return deletion
        }
        if let refusal = try await refusal(of: requests) {
            guard keepingCopies else { throw .copiesRefused(refusal) }
            var deletion = Deletion(notice: try await send(plan))
            deletion.warnings.append("Relays keep the copies of this post: \(refusal)")
            return deletion
        }
        do throws(ClientError) {
            return Deletion(notice: try await send(plan))
        } catch {
            // The copies are gone, so the post is too; who has it already learns of it later.
            unfinished[plan.rumor.id] = nil
            do throws(SessionStoreError) {
                let applied = try await store.apply(
                    [Arrival(plan.fact, source: .live, isMadeHere: true)],
                    now: options.now()
                )
                try await follow(applied.effects)
            } catch {
                throw .store(error)
            }
            return Deletion(warnings: ["Others may still see the post: no relay took the notice for them. \(error)"])
        }
    }

    /// Ends an own session for everybody, for good, and asks relays to drop the copies of its posts.
    /// - Throws: ``ClientError``; nothing is changed then.
    public func delete(_ id: SessionID) async throws(ClientError) -> Deletion {
        let plan: Outgoing
        var wraps: [WrapReference] = []
        var hasAll = true
        do {
            guard let log = try await store.log(id) else { throw OutgoingError.unknownSession }
            plan = try planner().delete(log)
            var query = FeedQuery(session: id, limit: 500)
            while true {
                let page = try await store.feed(query)
                for item in page.items {
                    let found = try await store.wraps(of: item.post.id)
                    if removalRequests(for: found).isEmpty { hasAll = false }
                    wraps += found
                }
                guard let next = page.next else { break }
                query.before = next
            }
        } catch let error as OutgoingError {
            throw .notPermitted(error)
        } catch let error as SessionStoreError {
            throw .store(error)
        } catch {
            throw .notPermitted(.unknownSession)
        }
        var deletion = Deletion(notice: try await send(plan))
        let requests = removalRequests(for: wraps)
        if !requests.isEmpty {
            let receipt = await access.publish(requests)
            if !receipt.isAccepted { hasAll = false }
        }
        if !hasAll { deletion.warnings.append("Relays may keep copies of some posts of this session.") }
        return deletion
    }

    /// Requests to drop gift wraps (NIP-09): the own copies, or all of them if the person wants that. Naming the copies of others
    /// tells relays who sent what to whom, and none honours it.
    private func removalRequests(for wraps: [WrapReference]) -> [Event] {
        let named = wraps.filter { settings.deletesAllCopies || $0.recipient == account }.map(\.id)
        return stride(from: 0, to: named.count, by: Self.mostTagsOfRemoval).map { first in
            let tags = named[first..<min(first + Self.mostTagsOfRemoval, named.count)].map { Tag("e", $0.hex) }
            return Event(
                kind: .deletion,
                content: "",
                tags: tags + [Tag("k", "1059")],
                createdAt: options.now(),
                signedBy: keys.keyPair
            )
        }
    }

    private static var mostTagsOfRemoval: Int { 500 }

    /// Sends requests to drop copies. A relay that knows of no copies but an author's own refuses them for good, and a post that
    /// only such relays hold can still be taken back from its readers.
    /// - Returns: Why relays do not do it; nil where they do.
    /// - Throws: What ``RelayAccess/publishAccepted(_:)`` throws, but for refusals.
    private func refusal(of requests: [Event]) async throws(ClientError) -> String? {
        let failed = try await access.failures(publishing: requests)
        guard let first = failed.first else { return nil }
        // Relays that could not be reached say nothing; one that has not answered may still do it.
        let answers = failed.flatMap(\.values)
        let refusal = answers.first { if case .rejected = $0 { true } else { false } }
        let isOpen = answers.contains { if case .unconfirmed = $0 { true } else { false } }
        guard let refusal, !isOpen else { throw .notAccepted(first) }
        return refusal.description
    }

    // MARK: What is not shown

    /// A session of which posts are here that do not count.
    public struct HiddenStatement: Hashable, Sendable {
        /// Which session it is.
        public let session: SessionID
        /// Its name.
        public let name: String?
        /// How many there are, and why.
        public let hidden: HiddenPosts

        /// What it means, in a sentence with the time in seconds since 1970.
        public var sentence: String {
            guard hidden.beforeOldestList > 0, let oldest = hidden.oldestList else {
                return hidden.count.counted("post by people", "posts by people") + " who were no members at their time "
                    + (hidden.count == 1 ? "is not shown." : "are not shown.")
            }
            return
                "The oldest member list here is of \(oldest); "
                + hidden.beforeOldestList.counted("post older than it is", "posts older than it are") + " not shown."
        }
    }

    /// What is here and not shown, session by session; only sessions where that is so.
    /// - Throws: ``ClientError/store(_:)``.
    public func hiddenPosts() async throws(ClientError) -> [HiddenStatement] {
        do throws(SessionStoreError) {
            var statements: [HiddenStatement] = []
            for session in try await store.sessions(countingUnreadUpTo: 0) {
                let hidden = try await store.hiddenPosts(in: session.id)
                guard hidden.count > 0 else { continue }
                statements.append(HiddenStatement(session: session.id, name: session.name, hidden: hidden))
            }
            return statements
        } catch {
            throw .store(error)
        }
    }
}

import LinkstrSessions
import NostrContacts
public import NostrCrypto
public import NostrEvents
public import NostrGiftWrap
import NostrTransport

/// Direct messages as other clients write them (NIP-17).
extension AccountRuntime {
    /// The chats, newest message first.
    /// - Parameter waiting: Those of strangers that wait for a word, instead of the others.
    /// - Throws: ``ClientError/store(_:)``.
    public func chats(waiting: Bool = false) async throws(ClientError) -> [ChatSummary] {
        do throws(SessionStoreError) {
            return try await vault.chats(waiting ? [.waiting] : [.none, .accepted])
        } catch {
            throw .store(error)
        }
    }

    /// The messages of a chat, newest last.
    /// - Parameters:
    ///   - people: Everybody in it; the account itself may be left out.
    ///   - time: Only messages that are older, in seconds since 1970.
    /// - Throws: ``ClientError/store(_:)``.
    public func messages(
        with people: [Bytes32],
        before time: Int64 = .max,
        limit: Int = 50
    ) async throws(ClientError) -> [ChatEntry] {
        do throws(SessionStoreError) {
            return try await vault.messages(room(people), before: time, limit: min(max(limit, 0), 10_000)).reversed()
        } catch {
            throw .store(error)
        }
    }

    /// Marks the messages of a chat as read.
    /// - Returns: How many were not.
    /// - Throws: ``ClientError/store(_:)``.
    @discardableResult
    public func markRead(chatWith people: [Bytes32]) async throws(ClientError) -> Int {
        do throws(SessionStoreError) { return try await vault.markRead(room(people)) } catch { throw .store(error) }
    }

    /// Accepts a chat by a stranger, or hides it.
    /// - Throws: ``ClientError/unknownChat``, ``ClientError/store(_:)``.
    public func answer(chatWith people: [Bytes32], accepts: Bool) async throws(ClientError) {
        let isThere: Bool
        do throws(SessionStoreError) {
            isThere = try await vault.setRequest(accepts ? .accepted : .declined, room(people))
        } catch {
            throw .store(error)
        }
        guard isThere else { throw .unknownChat }
    }

    /// Sends a message: to the relays that each recipient has named for messages, and then a copy to the own ones.
    ///
    /// Nothing is sent to somebody who has named none, nor to the others in the room then: a message that only some can read splits it.
    /// - Parameters:
    ///   - body: A text, a file or a reaction.
    ///   - people: Everybody else in the room; none for a note to oneself.
    /// - Throws: ``ClientError/noInbox(_:)``, ``ClientError/refused(_:_:)``, ``ClientError/unconfirmed(_:)`` and what connecting
    ///   throws; nothing is stored then.
    @discardableResult
    public func sendChat(
        _ body: ChatMessage.Body,
        to people: [PublicKey],
        replyingTo parent: EventID? = nil,
        subject: String? = nil
    ) async throws(ClientError) -> SentChat {
        let others = Array(Set(people.map(\.bytes)).subtracting([account])).sorted()
        let inboxes = try await lookUpInboxes(of: others + [account])
        let delivery: ChatDelivery
        do throws(ChatDelivery.Problem) {
            delivery = try ChatDelivery(to: others, inboxes: inboxes, policy: .requireEveryInbox)
        } catch {
            if case .noInbox(let missing) = error { throw .noInbox(missing) }
            throw .noInbox(others)
        }
        let rumor = ChatMessage.rumor(
            body,
            from: account,
            to: others.isEmpty ? [account] : others,
            replyingTo: parent,
            subject: subject,
            createdAt: options.now()
        )
        guard let message = try? ChatMessage(rumor) else { throw .unknownChat }
        let recipients = people.filter { $0.bytes != account }
        let wraps: [GiftWrapper.Addressed]
        do {
            wraps = try await wrapper.wrap(
                rumor,
                for: recipients.isEmpty ? [keys.publicKey] : recipients,
                ownCopy: .last,
                now: options.now()
            )
        } catch GiftWrapError.tooLarge {
            throw .messageTooLarge
        } catch {
            throw .unconfirmed(others)
        }
        let own = inboxes[account]?.urls.compactMap { try? RelayURL($0) } ?? []
        let (missed, reason, isOwnCopyTaken) = await deliver(wraps, delivery, own: own.isEmpty ? access.deciding : own)
        let isSent = others.isEmpty ? isOwnCopyTaken : missed.count < others.count
        guard isSent else {
            throw reason.map { .refused(missed, $0) } ?? .unconfirmed(others.isEmpty ? [account] : missed)
        }
        do throws(SessionStoreError) {
            let kept = try await vault.keep([(rumor, message, false)], account: account) { _ in true }
            for (entry, _) in kept { hub.tell(.message(entry)) }
        } catch {
            throw .store(error)
        }
        return SentChat(id: rumor.id, missed: missed, isOwnCopyTaken: isOwnCopyTaken)
    }

    /// Publishes each wrap where its recipient reads; the own copy last, and it decides nothing. It would come back as a message that
    /// was sent, so it stays here where nobody else's was taken.
    private func deliver(
        _ wraps: [GiftWrapper.Addressed],
        _ delivery: ChatDelivery,
        own: [RelayURL]
    ) async -> (missed: [Bytes32], reason: String?, isOwnCopyTaken: Bool) {
        var missed: [Bytes32] = []
        var reason: String?
        var isOwnCopyTaken = false
        var used: Set<RelayURL> = []
        for wrap in wraps {
            let recipient = wrap.recipient.bytes
            if recipient == account, wraps.count > 1, missed.count == wraps.count - 1 { break }
            let named = delivery.relays[recipient]?.prefix(Self.mostInboxRelays).compactMap { try? RelayURL($0) } ?? []
            let relays = recipient == account ? own : named
            used.formUnion(relays)
            let receipt = await pool.publish(wrap.event, to: relays, deadline: options.acceptanceTime)
            if receipt.isAccepted(wrap.event.id) {
                if recipient == account { isOwnCopyTaken = true }
            } else if recipient != account {
                missed.append(recipient)
                reason =
                    receipt[wrap.event.id].values.lazy.compactMap { outcome in
                        if case .rejected(let status) = outcome { status.text } else { nil }
                    }.first
            }
        }
        // Relays of others are not stayed connected to.
        for relay in used.subtracting(access.relays) { await pool.remove(relay) }
        return (missed, reason, isOwnCopyTaken)
    }

    /// More relays of one recipient are not used.
    private static var mostInboxRelays: Int { 4 }

    private nonisolated func room(_ people: [Bytes32]) -> ChatRoom { ChatRoom(people + [account]) }

    // MARK: What relays send

    /// Keeps chat messages that came; those of strangers wait.
    func take(_ messages: [(opened: OpenedGiftWrap, source: Source)]) async throws(SessionStoreError) -> Int {
        let followed = await editor.state.list?.keys ?? []
        var live: Set<EventID> = []
        var readable: [(rumor: Rumor, message: ChatMessage, isUnread: Bool)] = []
        let isRestoring = try await store.isRestoring
        for (opened, source) in messages {
            guard let message = try? ChatMessage(opened), message.room.participants.contains(account) else { continue }
            if source == .live { live.insert(message.id) }
            let isUnread = message.sender != account && (source == .live || !isRestoring)
            readable.append((opened.rumor, message, isUnread))
        }
        guard !readable.isEmpty else { return 0 }
        let new = try await vault.keep(readable, account: account) { followed.contains($0) }
        for (entry, request) in new {
            let isWorth = live.contains(entry.id) && entry.message.sender != account && request == .accepted
            hub.tell(.message(entry), isWorthNotifying: isWorth)
        }
        return new.count
    }
}

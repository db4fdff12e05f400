import Negentropy
public import NostrEvents

extension ScriptedRelay {
    /// What an honest relay answers. Events are stored and subscriptions opened on the way.
    public func honest(_ session: Session, _ message: ClientMessage) -> [Action] {
        switch message {
        case .event(let wire): publish(wire, session)
        case .authenticate(let wire): authenticate(wire, session)
        case .request(let name, let filters):
            if isRefused(session) {
                [.send(.closed(name, StatusMessage(.authenticationRequired, "who are you?")))]
            } else {
                request(name, filters, session)
            }
        case .close(let name):
            close(name, session)
        case .count(let name, let filters):
            if isRefused(session) {
                [.send(.closed(name, StatusMessage(.authenticationRequired, "who are you?")))]
            } else {
                [.send(.count(name, EventCount(count: Int64(events.count { filters.match($0) }))))]
            }
        case .reconcile(let name, let filter, let message):
            reconcile(name, filter, message, session)
        case .reconciliation(let name, let message):
            continueReconciling(name, message, session)
        case .closeReconciliation(let name):
            endReconciling(name, session)
        }
    }

    /// Asks a client who it is. For the greeting, or at any time.
    public func challenge(_ session: Session, _ text: String = "prove it") -> [Action] {
        session.challenge = text
        return [.send(.challenge(text))]
    }

    private func isRefused(_ session: Session) -> Bool {
        requiresAuthentication && session.keys.isEmpty
    }

    private func publish(_ wire: WireEvent, _ session: Session) -> [Action] {
        guard !isRefused(session) else {
            let status = StatusMessage(.authenticationRequired, "who are you?")
            return [.send(.ok(wire.id, accepted: false, status))]
        }
        guard let event = try? Event(verifying: wire) else {
            return [.send(.ok(wire.id, accepted: false, StatusMessage(.invalid, "forged")))]
        }
        store(event)
        return [.send(.ok(wire.id, accepted: true, .empty))]
    }

    private func authenticate(_ wire: WireEvent, _ session: Session) -> [Action] {
        guard let event = try? Event(verifying: wire), event.tags.firstValue(named: "challenge") == session.challenge,
            let named = event.tags.firstValue(named: "relay").flatMap({ try? RelayURL($0) }),
            url?.isSameRelay(as: named) ?? true
        else {
            return [.send(.ok(wire.id, accepted: false, StatusMessage(.invalid, "not for me")))]
        }
        session.keys.insert(event.pubkey)
        return [.send(.ok(wire.id, accepted: true, .empty))]
    }

    private func request(_ name: SubscriptionID, _ filters: [Filter], _ session: Session) -> [Action] {
        session.subscriptions[name] = filters
        var found: [Event] = []
        var ids: Set<EventID> = []
        var hasMore = false
        for filter in filters {
            let matching = events.filter { filter.matches($0) }
            let page = matching.prefix(min(filter.limit ?? .max, pageLimit))
            hasMore = hasMore || page.count < matching.count
            found += page.filter { ids.insert($0.id).inserted }
        }
        let hints: EndOfStoredEventsHints = givesHints ? (hasMore ? .more : .finish) : []
        return found.map { .send(.event(name, $0.wire)) } + [.send(.endOfStoredEvents(name, hints))]
    }

    private func close(_ name: SubscriptionID, _ session: Session) -> [Action] {
        session.subscriptions[name] = nil
        return []
    }

    private func reconcile(
        _ name: SubscriptionID,
        _ filter: Filter,
        _ message: [UInt8],
        _ session: Session
    ) -> [Action] {
        guard !isRefused(session) else {
            return [
                .send(.reconciliationError(name, StatusMessage(.authenticationRequired, "who?"), mostRecords: nil))
            ]
        }
        let items = events.filter { filter.matches($0) }.compactMap { event in
            UInt64(exactly: event.createdAt).flatMap { try? NegentropyItem(timestamp: $0, id: event.id) }
        }
        session.reconciliations[name] = try? NegentropyServer(InMemoryNegentropySet(items), frameSizeLimit: 4_096)
        return continueReconciling(name, message, session)
    }

    private func continueReconciling(_ name: SubscriptionID, _ message: [UInt8], _ session: Session) -> [Action] {
        guard let answer = try? session.reconciliations[name]?.respond(to: message) else {
            return [.send(.reconciliationError(name, StatusMessage(.closed, "no such query"), mostRecords: nil))]
        }
        return [.send(.reconciliation(name, answer))]
    }

    private func endReconciling(_ name: SubscriptionID, _ session: Session) -> [Action] {
        session.reconciliations[name] = nil
        return []
    }
}

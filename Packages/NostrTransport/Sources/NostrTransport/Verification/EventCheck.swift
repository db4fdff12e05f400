package import NostrCrypto
package import NostrEvents

/// What the events of one request, or of several that share a REQ, are held against.
package final class MatchRule: Sendable {
    let filters: [Filter]
    let seen: SeenEvents
    let limits: MessageLimits
    /// Of the other requests, if it is shared.
    private let others: [SeenEvents]

    package init(filters: [Filter], seen: SeenEvents, limits: MessageLimits) {
        self.filters = filters
        self.seen = seen
        self.limits = limits
        others = []
    }

    /// Matches what one of these does.
    init(_ first: MatchRule, _ rest: [MatchRule]) {
        filters = first.filters + rest.flatMap(\.filters)
        seen = first.seen
        limits = first.limits
        others = rest.map(\.seen)
    }

    var isShared: Bool { !others.isEmpty }

    /// When an event was made that all have seen; nil if one has not.
    func time(of id: EventID) -> Int64? {
        guard let time = seen.time(of: id), others.allSatisfy({ $0.time(of: id) != nil }) else { return nil }
        return time
    }
}

/// What became of an EVENT message.
package enum CheckedEvent: Sendable {
    case verified(Event, bytes: Int)
    case duplicate(EventID, createdAt: Int64)
    /// The same under a shared rule, where it matters which requests it is for. It may be no true copy.
    case known(WireEvent)
    case mismatched(createdAt: Int64)
    case invalid(isForged: Bool)
}

extension MatchRule {
    /// Parses a message, holds the event against the filters, and verifies it last, because that costs most.
    package func check(_ message: [UInt8], keys: PublicKeyCache) -> CheckedEvent {
        let wire: WireEvent
        do throws(EventError) {
            guard case .event(_, let event) = try RelayMessage(json: message, limits: limits) else {
                return .invalid(isForged: false)
            }
            wire = event
        } catch {
            return .invalid(isForged: false)
        }
        // Verified by another relay's copy while this one waited.
        if let time = time(of: wire.id) {
            return isShared ? .known(wire) : .duplicate(wire.id, createdAt: time)
        }
        guard filters.match(wire) else { return .mismatched(createdAt: wire.createdAt) }
        do throws(EventError) {
            return .verified(try Event(verifying: wire, keys: keys), bytes: message.count)
        } catch {
            return .invalid(isForged: true)
        }
    }
}

import NostrEvents
import Sockets

// Where a relay takes fewer subscriptions at once than are wanted, live ones share REQs: an event is then held against the
// filters of each. Requests for stored events never do; they end soon and take turns.

extension RelayConnection {
    /// Of a shared REQ, when the relay does not say how large one may be.
    private static let sharedBytes = 64 << 10

    private var sharedFilters: Int { information?.limits.filters ?? options.filtersPerRequest }

    private var sharedBytes: Int { min(largestMessage, Self.sharedBytes) - Self.bytesBesideFilters }

    private func maySharePlace(_ request: RelayRequest) -> Bool {
        request.extent == .live && request.unsent.isEmpty && request.rule.filters.count < sharedFilters
            && request.sharesFrom.map { $0 <= loop.now } ?? true
    }

    /// After a shared REQ was refused or left without an answer, which may have been for another's sake: alone for a minute,
    /// and for twice as long each time.
    func shareLater(_ request: RelayRequest) {
        request.sharesFrom = loop.now.advanced(by: .seconds(60 << min(request.refusedShares, 6)))
        request.refusedShares += 1
    }

    private var shareableWaiting: [RelayRequest] {
        waitingRequests.compactMap { requests[$0] }.filter { $0.isWaiting && maySharePlace($0) }
    }

    /// In order, as many to a group as fit into one REQ.
    private func groups(_ requests: [RelayRequest]) -> [[RelayRequest]] {
        var groups: [[RelayRequest]] = []
        var (filters, bytes) = (0, 0)
        for request in requests {
            let size = request.rule.filters.reduce(0) { $0 + RequestSplitter.cost($1) }
            filters += request.rule.filters.count
            bytes += size
            if groups.isEmpty || filters > sharedFilters || bytes > sharedBytes {
                groups.append([])
                (filters, bytes) = (request.rule.filters.count, size)
            }
            groups[groups.count - 1].append(request)
        }
        return groups
    }

    /// Sends requests that wait together, as far as there is room.
    func shareWaitingRequests() {
        for group in groups(shareableWaiting) where group.count > 1 && roomOnWire > 0 { share(group) }
    }

    /// Puts requests that wait together with live ones, and live ones with each other, so that a place becomes free for what
    /// else waits. False if that cannot be.
    func shareOpenRequests() -> Bool {
        let waiting = shareableWaiting
        // Requests for stored events end soon, and then others have their places.
        let isTurnComing = wiresByName.values.contains { $0.members.contains { $0.request.extent == .stored } }
        let othersWait = waiting.count < waitingRequests.count && !isTurnComing
        guard othersWait || !waiting.isEmpty else { return false }
        let open = wiresByName.values.filter { wire in
            // An end of stored events that is still to come would be taken for that of the next REQ of the same name.
            wire.isOver && wire.members.allSatisfy { $0.request.isLive && maySharePlace($0.request) }
        }
        var together = waiting
        var freed: [WireRequest] = []
        for wire in open.sorted(by: { ($0.rule.filters.count, $0.number) < ($1.rule.filters.count, $1.number) }) {
            freed.append(wire)
            together = wire.members.map(\.request) + together
            let groups = groups(together)
            guard groups.count + (othersWait ? 1 : 0) <= freed.count else { continue }
            // Replaced first and closed then, so that nothing is missed in between.
            for (group, wire) in zip(groups, freed) { share(group, replacing: wire) }
            for wire in freed.dropFirst(groups.count) {
                close(wire)
                for member in wire.members { member.request.wires.removeAll { $0 === wire } }
                lane.append(.control(.replaced(request: wire.number)))
            }
            return true
        }
        return false
    }

    private func share(_ group: [RelayRequest], replacing replaced: WireRequest? = nil) {
        guard let first = group.first else { return }
        let members = group.map { request in
            // Whoever has been told of the end of stored events is not told again: what comes twice is dropped.
            let round = request.isWaiting ? RequestRound(parts: 1) : request.round ?? RequestRound(parts: 1)
            request.round = round
            return WireRequest.Member(request: request, round: round)
        }
        let tokens = Set(group.map(\.token))
        waitingRequests.removeAll { tokens.contains($0) }
        let rule = group.count == 1 ? first.rule : MatchRule(first.rule, group.dropFirst().map(\.rule))
        send(rule, nil, for: members, replacing: replaced)
    }

    /// Asks no more for what only members wanted that have left.
    func narrow(_ number: Int) {
        guard let wire = wires[number], wire.isWide, wire.isOver, wire.isOpen, socket != nil else { return }
        let requests = wire.members.map(\.request).filter { $0.wires.contains { $0 === wire } }
        guard !requests.isEmpty, requests.allSatisfy(\.isLive) else { return }
        share(requests, replacing: wire)
        advanceLane()
    }
}

import NostrEvents
import Sockets

// Subscriptions: sent when there is room, watched, sent again after whatever may pass.

extension RelayConnection {
    /// A stored-events request is given up after so many refusals that might have passed.
    private static let retriesOfStoredRequests = 3

    var requestsInOrder: [RelayRequest] { requests.keys.sorted().compactMap { requests[$0] } }

    /// Takes a request. Whatever happens to it, and its end, is told to the queue.
    ///
    /// - Returns: what to close it by.
    func open(_ rule: MatchRule, _ subscription: SubscriptionOptions, _ queue: UpdateQueue) -> Int {
        lastToken += 1
        let request = RelayRequest(
            token: lastToken,
            rule: rule,
            options: subscription,
            queue: queue,
            defaults: options,
            now: loop.now
        )
        requests[request.token] = request
        waitingRequests.append(request.token)
        do throws(TransportError) {
            try makeReady()
            sendWaitingRequests()
        } catch {
            if error == .disabled || error == .stopped || request.extent == .stored {
                finish(request, error)
            } else {
                push([.interrupted(url, error)], to: request)
            }
        }
        return request.token
    }

    /// Ends a request that its consumer wants no more.
    func closeRequest(_ token: Int) {
        guard let request = requests[token] else { return }
        finish(request, nil)
    }

    var subscriptionLimit: Int {
        max(1, information?.limits.subscriptions ?? options.subscriptionsPerRelay)
    }

    /// How many REQs the relay takes beside those that it has.
    var roomOnWire: Int { subscriptionLimit - wiresByName.count }

    // MARK: Sending

    func sendWaitingRequests() {
        guard socket != nil else { return }
        if waitingRequests.count > roomOnWire { shareWaitingRequests() }
        sendNextParts()
        // One more REQ at a time is made room for; each makes a few of what there was.
        while !waitingRequests.isEmpty, roomOnWire <= 0, shareOpenRequests() { sendNextParts() }
        // Those left over wait for room, but not forever.
        for token in waitingRequests {
            guard let request = requests[token], request.watchdog == nil else { continue }
            watch(request)
        }
        // Not before: what leaves the lane may lead back to here.
        advanceLane()
    }

    private func sendNextParts() {
        while roomOnWire > 0, let token = waitingRequests.first {
            guard let request = requests[token], request.isWaiting || !request.unsent.isEmpty,
                !request.isWaiting || cut(request), !request.unsent.isEmpty, let round = request.round
            else {
                waitingRequests.removeAll { $0 == token }
                continue
            }
            let part = request.unsent.removeFirst()
            if request.unsent.isEmpty { waitingRequests.removeFirst() }
            let rule = MatchRule(filters: part.filters, seen: request.rule.seen, limits: request.rule.limits)
            send(rule, part.pieceOf, for: [WireRequest.Member(request: request, round: round)])
        }
    }

    /// Makes of a request the parts that the relay takes. False if there are none; then it is over.
    private func cut(_ request: RelayRequest) -> Bool {
        let (filters, limit) = (request.rule.filters, subscriptionLimit)
        let parts = RequestSplitter.parts(
            of: filters,
            filtersPerPart: information?.limits.filters ?? .max,
            bytesPerPart: largestMessage - Self.bytesBesideFilters
        )
        guard let parts, !parts.isEmpty else {
            let bytes = filters.reduce(Self.bytesBesideFilters) { $0 + RequestSplitter.cost($1) }
            finish(request, .tooLarge(bytes: bytes, limit: largestMessage))
            return false
        }
        guard request.extent == .stored || parts.count <= limit else {
            finish(request, .subscriptionLimit(limit))
            return false
        }
        var holds: [Int: StoredHold] = [:]
        // A live one cannot tell what is stored from what is new, and loses nothing that is new.
        let held = request.extent == .stored ? Set(parts.compactMap(\.pieceOf)) : []
        for index in held {
            let bytes = options.receiveBacklogBytes / held.count
            holds[index] = StoredHold(limit: filters[index].limit ?? .max, bytesLimit: bytes)
        }
        request.round = RequestRound(parts: parts.count, holds: holds)
        request.unsent = parts
        return true
    }

    /// Bytes of a REQ that are not filters.
    static let bytesBesideFilters = #"["REQ",""]"#.utf8.count + SubscriptionID.greatestLength

    /// Sends a REQ.
    ///
    /// - Parameter replaced: one of which it takes the place: the relay knows both by the same name (NIP-01).
    func send(
        _ rule: MatchRule,
        _ piece: Int?,
        for members: [WireRequest.Member],
        replacing replaced: WireRequest? = nil
    ) {
        guard let id = replaced?.id ?? newWireID(members.first?.request.name ?? "") else { return }
        lastWireNumber += 1
        let wire = WireRequest(number: lastWireNumber, id: id, rule: rule, piece: piece, members: members)
        if let replaced { retire(replaced) }
        wires[wire.number] = wire
        wiresByName[Self.hash(id.text.utf8)] = wire
        for request in members.map(\.request) {
            request.wires.append(wire)
            request.phase = .sent
            request.isHastened = false
            request.isToldOfLimit = false
            request.authenticationsWhenSent = authentication.successes
        }
        wire.sentAt = loop.now
        send(ClientMessage.request(id, rule.filters).json)
        for member in members { watch(member.request) }
    }

    func newWireID(_ name: String) -> SubscriptionID? {
        lastName += 1
        let number = String(lastName)
        let longest = min(information?.limits.subscriptionIDLength ?? SubscriptionID.greatestLength, 64)
        return try? SubscriptionID(name.utf8.count + number.utf8.count <= longest ? name + number : number)
    }

    // MARK: The wire

    /// The REQ that the relay knows by this name.
    func wire(named name: ArraySlice<UInt8>) -> WireRequest? {
        guard let wire = wiresByName[Self.hash(name)], wire.id.text.utf8.elementsEqual(name) else { return nil }
        return wire
    }

    /// FNV-1a: names are this client's own, so nobody can choose colliding ones.
    private static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }

    /// The relay has it no more: neither does it count there, nor is anything under its name expected.
    func forget(_ wire: WireRequest) {
        guard wire.isOpen else { return }
        wire.isOpen = false
        wiresByName[Self.hash(wire.id.text.utf8)] = nil
    }

    /// Its name goes to another REQ. What came before is still delivered.
    private func retire(_ wire: WireRequest) {
        wire.isOpen = false
        for member in wire.members { member.request.wires.removeAll { $0 === wire } }
        lane.append(.control(.replaced(request: wire.number)))
    }

    /// Has the relay close it.
    func close(_ wire: WireRequest) {
        guard wire.isOpen else { return }
        forget(wire)
        send(ClientMessage.close(wire.id).json)
    }

    /// Takes a request off the wire: what nobody else has is closed there, and nothing more is delivered.
    func takeOffWire(_ request: RelayRequest) {
        for wire in request.wires { leave(wire, request) }
        request.wires = []
        request.unsent = []
    }

    private func leave(_ wire: WireRequest, _ request: RelayRequest) {
        wire.members.removeAll { $0.request === request }
        guard wire.members.isEmpty else {
            wire.isWide = true
            // Others may be about to leave too.
            let number = wire.number
            loop.execute { self.assumeIsolated { $0.narrow(number) } }
            return
        }
        close(wire)
        wires[wire.number] = nil
    }

    private func wait(_ request: RelayRequest) {
        request.stopTimers()
        request.phase = .waiting
        request.unsent = []
        if !waitingRequests.contains(request.token) { waitingRequests.append(request.token) }
    }

    /// The last that the consumer hears of a request.
    func finish(_ request: RelayRequest, _ error: TransportError?) {
        guard requests.removeValue(forKey: request.token) != nil else { return }
        request.stopTimers()
        takeOffWire(request)
        waitingRequests.removeAll { $0 == request.token }
        request.queue.finish(.closed(url, error))
        sendWaitingRequests()
    }

    // MARK: What happens to a request

    /// It has lost its REQs, with the connection or because they are to be sent anew. What came of them is still delivered.
    func interrupt(_ request: RelayRequest, _ error: TransportError?) {
        let numbers = request.wires.map(\.number)
        for wire in request.wires { close(wire) }
        request.wires = []
        wait(request)
        lane.append(.control(.interrupted(error, token: request.token, requests: numbers)))
    }

    /// A signal whose turn it is.
    func handle(_ signal: RequestSignal) {
        switch signal {
        case .replaced(let number):
            wires[number] = nil
        case .interrupted(let error, let token, let numbers):
            for number in numbers {
                wires[number]?.members.removeAll { $0.request.token == token }
                if wires[number]?.members.isEmpty == true { wires[number] = nil }
            }
            guard let request = requests[token] else { return }
            if request.extent == .stored {
                finish(request, error)
            } else {
                push([.interrupted(url, error)], to: request)
            }
        case .endOfStoredEvents(let hints, let number):
            guard let wire = wires[number] else { return }
            guard !wire.isOver else {
                endedAgain(wire, hints)
                return
            }
            wire.isOver = true
            for member in wire.members { ended(member, wire, hints) }
            if wire.isWide { narrow(number) }
        case .closed(let status, let number):
            guard let wire = wires[number] else { return }
            wires[number] = nil
            // When the connection ended meanwhile a request is on its way to be sent again, and what the relay meant for
            // the last one says nothing about the next.
            let requests = wire.members.map(\.request).filter { $0.wires.contains { $0 === wire } }
            for request in requests { request.wires.removeAll { $0 === wire } }
            for request in requests where request.isSent || request.isLive {
                takeOffWire(request)
                waitingRequests.removeAll { $0 == request.token }
                refused(request, status, shared: wire.isShared)
            }
        }
    }

    /// The relay said twice that its stored events are over. A consumer of its own may want to know; for a part, and for
    /// those who share, it means nothing.
    private func endedAgain(_ wire: WireRequest, _ hints: EndOfStoredEventsHints) {
        guard let member = wire.members.first, !wire.isShared, member.round.isWhole else { return }
        var page = member.page
        page.hints = hints
        push([.endOfStoredEvents(url, page)], to: member.request)
    }

    /// The end of stored events came for a REQ of a request.
    private func ended(_ member: WireRequest.Member, _ wire: WireRequest, _ hints: EndOfStoredEventsHints) {
        let (request, round) = (member.request, member.round)
        guard requests[request.token] === request else { return }
        if !round.isAnnounced {
            var page = member.page
            page.hints = hints
            round.partEnded(page, piece: wire.piece, relayLimit: information?.limits.filterLimit)
            if round.isComplete {
                let (events, page) = round.conclude()
                deliverHeld(events, to: request)
                push([.endOfStoredEvents(url, page)], to: request)
            }
        }
        let isPresent = request.wires.contains { $0 === wire }
        if request.extent == .stored {
            if round.isAnnounced {
                finish(request, nil)
            } else if isPresent {
                // Room for the next part.
                request.wires.removeAll { $0 === wire }
                leave(wire, request)
                sendWaitingRequests()
            }
        } else if isPresent, request.isSent, round.isAnnounced, request.wires.allSatisfy(\.isOver) {
            request.stopTimers()
            request.phase = .live
            request.backoff.reset()
            request.retries = 0
        }
    }

    private func refused(_ request: RelayRequest, _ status: StatusMessage, shared: Bool) {
        request.refusal = status
        switch status.prefix {
        case .authenticationRequired:
            if authentication.successes > request.authenticationsWhenSent {
                wait(request)
                sendWaitingRequests()
            } else if canAuthenticate {
                request.stopTimers()
                request.phase = .parked
                if request.extent == .live { push([.interrupted(url, .refused(status))], to: request) }
                watch(request)
                authenticate(.required(status))
            } else {
                finish(request, .refused(status))
            }
        case .restricted, .blocked, .unsupported, .invalid, .proofOfWork, .mute:
            guard shared else {
                finish(request, .refused(status))
                return
            }
            // It may have been for another's sake, or because they were put together.
            shareLater(request)
            push([.interrupted(url, .refused(status))], to: request)
            wait(request)
            sendWaitingRequests()
        default:
            // Also rate-limited, error, and words that nobody knows.
            sendLater(request, .refused(status))
        }
    }

    func sendLater(_ request: RelayRequest, _ error: TransportError) {
        request.retries += 1
        guard request.extent == .live || request.retries <= Self.retriesOfStoredRequests else {
            finish(request, error)
            return
        }
        if request.extent == .live { push([.interrupted(url, error)], to: request) }
        request.stopTimers()
        let delay = request.backoff.nextDelay(random: options.random())
        let token = request.token
        let timer = loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { connection in
                guard let request = connection.requests[token], case .delayed = request.phase else { return }
                connection.wait(request)
                connection.sendWaitingRequests()
            }
        }
        request.phase = .delayed(timer)
        sendWaitingRequests()
    }

    /// Sends all that was refused until this client had authenticated, and all live requests anew: some relays simply
    /// left out what they would not show.
    func requestsAfterAuthentication() {
        for request in requestsInOrder {
            if request.isParked {
                wait(request)
            } else if request.extent == .live, request.isOnWire {
                interrupt(request, nil)
            }
        }
        sendWaitingRequests()
        advanceLane()
    }

    func requestsAfterRefusedAuthentication(_ status: StatusMessage) {
        for request in requestsInOrder where request.isParked { finish(request, .refused(status)) }
    }

    var hasParkedRequests: Bool { requests.values.contains { $0.isParked } }
}

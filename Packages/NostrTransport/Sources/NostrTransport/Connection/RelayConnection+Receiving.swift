import NostrCrypto
import NostrEvents
import Sockets
import WebSocket

// From the socket to the consumers: look, check, deliver.

extension RelayConnection {
    /// Larger messages are never checked on the loop.
    private static let checkedOnLoop = 16 << 10

    func take(_ messages: [WebSocketMessage], _ epoch: Int) {
        guard epoch == self.epoch else { return }
        for message in messages {
            statistics.messages += 1
            guard message.kind == .text else {
                statistics.malformed += 1
                continue
            }
            take(message.bytes)
            // What a message leads to may end the connection.
            guard epoch == self.epoch else { break }
        }
        advanceLane()
    }

    private func take(_ message: [UInt8]) {
        guard let preview = RelayMessagePreview(message) else {
            statistics.malformed += 1
            return
        }
        guard preview.label == .event, let name = preview.secondElement, let wire = wire(named: message[name]) else {
            takeOther(message)
            return
        }
        takeEvent(message, preview.eventID, wire)
    }

    private func takeEvent(_ message: [UInt8], _ id: EventID?, _ wire: WireRequest) {
        noteProgress(wire)
        wire.hasEvents = true
        if let id, !wire.isShared, let time = wire.rule.time(of: id) {
            if lane.isEmpty {
                deliverDuplicate(id, time, wire)
            } else {
                lane.append(.duplicate(id, createdAt: time, request: wire.number))
            }
        } else {
            lane.append(.message(message, wire.rule, request: wire.number))
        }
    }

    private func noteProgress(_ wire: WireRequest) {
        let now = loop.now
        if let sentAt = wire.sentAt.take() { statistics.roundTrip = now - sentAt }
        for member in wire.members { member.request.lastProgress = now }
    }

    /// Everything but an EVENT whose subscription is found in its bytes.
    private func takeOther(_ bytes: [UInt8]) {
        let message: RelayMessage
        do throws(EventError) {
            message = try RelayMessage(json: bytes, limits: options.limits)
        } catch {
            statistics.malformed += 1
            return
        }
        switch message {
        case .event(let name, let event):
            // The name was written with escapes.
            guard let wire = wire(named: Array(name.text.utf8)[...]) else {
                statistics.unrequested += 1
                return
            }
            takeEvent(bytes, event.id, wire)
        case .endOfStoredEvents(let name, let hints):
            signal(name) { .endOfStoredEvents(hints, request: $0.number) }
        case .closed(let name, let status):
            if exchanges[name.text] != nil {
                answer(name, .failure(.refused(status)))
            } else {
                signal(name) { wire in
                    // The relay has forgotten the name: what it still sends under it was not asked for.
                    forget(wire)
                    return .closed(status, request: wire.number)
                }
            }
        case .ok(let id, let accepted, let status):
            answered(id, accepted, status)
        case .notice(let text):
            noticeCame(text)
        case .challenge(let text):
            challengeCame(text)
        case .count(let name, let count):
            answer(name, .success(.count(count)))
        case .reconciliation(let name, let message):
            answer(name, .success(.reconciliation(message)))
        case .reconciliationError(let name, let status, _):
            answer(name, .failure(.refused(status)))
        }
    }

    private func signal(_ name: SubscriptionID, _ signal: (WireRequest) -> RequestSignal) {
        guard let wire = wire(named: Array(name.text.utf8)[...]) else {
            statistics.unrequested += 1
            return
        }
        noteProgress(wire)
        lane.append(.control(signal(wire)))
    }

    private func noticeCame(_ text: String) {
        statistics.notices += 1
        statistics.lastNotice = text
        observer(url, status)
        hastenWatchdogs()
    }

    // MARK: The lane

    /// Checks what waits, in parallel where it is worth a hop, and delivers what is next in order. What is delivered may
    /// put more into the lane; that waits for its turn.
    func advanceLane() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        repeat {
            while !isHeld, let outputs = lane.release() { deliver(outputs) }
        } while checkNextChunks()
        adjustReading()
    }

    /// Starts checking. True if some of it is done already.
    private func checkNextChunks() -> Bool {
        var isSomeDone = false
        while let chunk = lane.nextChunk() {
            if chunk.messages == 0 || (lane.isAlone(chunk) && chunk.messages == 1 && chunk.bytes <= Self.checkedOnLoop)
            {
                lane.finish(chunk.number, chunk.check(keys: keys))
                isSomeDone = true
                continue
            }
            let (keys, loop) = (self.keys, self.loop)
            Task.detached {
                let outputs = chunk.check(keys: keys)
                loop.execute {
                    self.assumeIsolated { connection in
                        connection.lane.finish(chunk.number, outputs)
                        connection.advanceLane()
                    }
                }
            }
        }
        return isSomeDone && !isHeld
    }

    private func deliver(_ outputs: [LaneOutput]) {
        var delivery = Delivery()
        for output in outputs {
            switch output {
            case .checked(let event, let number):
                guard let wire = wires[number] else { continue }
                deliver(event, wire, &delivery)
            case .control(let signal):
                push(&delivery)
                handle(signal)
            }
        }
        push(&delivery)
    }

    private func deliver(_ event: CheckedEvent, _ wire: WireRequest, _ delivery: inout Delivery) {
        noteProgress(wire)
        switch event {
        case .verified(let event, let bytes):
            for index in wire.members.indices {
                let request = wire.members[index].request
                guard !wire.isShared || request.rule.filters.match(event) else { continue }
                wire.members[index].page.noteValid(event.createdAt)
                deliver(event, bytes, wire, wire.members[index], &delivery)
            }
        case .duplicate(let id, let time):
            deliverDuplicate(id, time, wire)
        case .known(let event):
            statistics.duplicates += 1
            for index in wire.members.indices where wire.members[index].request.rule.filters.match(event) {
                wire.members[index].page.noteValid(event.createdAt)
            }
        case .mismatched(let time):
            statistics.mismatched += 1
            for index in wire.members.indices where !wire.isShared { wire.members[index].page.noteMismatched(time) }
        case .invalid(let isForged):
            statistics.invalid += 1
            for index in wire.members.indices where !wire.isShared { wire.members[index].page.noteInvalid() }
            guard isForged else { return }
            forgedOnThisConnection += 1
            if forgedOnThisConnection == options.forgedEventLimit { leave(.forgedEvents, code: .policyViolation) }
        }
    }

    private func deliver(
        _ event: Event,
        _ bytes: Int,
        _ wire: WireRequest,
        _ member: WireRequest.Member,
        _ delivery: inout Delivery
    ) {
        let request = member.request
        if !wire.isOver,
            member.round.hold(wire.piece, event.id, createdAt: event.createdAt, event: event, bytes: bytes)
        {
            return
        }
        guard request.rule.seen.insert(event) else {
            statistics.duplicates += 1
            return
        }
        statistics.events += 1
        request.lastNews = loop.now
        if delivery.request !== request { push(&delivery) }
        delivery.request = request
        delivery.updates.append(.event(event, from: url))
        delivery.bytes += bytes
    }

    private func deliverDuplicate(_ id: EventID, _ time: Int64, _ wire: WireRequest) {
        statistics.duplicates += 1
        for index in wire.members.indices {
            wire.members[index].page.noteValid(time)
            guard !wire.isOver else { continue }
            _ = wire.members[index].round.hold(wire.piece, id, createdAt: time, event: nil, bytes: 0)
        }
    }

    /// Events that were held back until it was clear that they are wanted.
    func deliverHeld(_ events: [(event: Event, bytes: Int)], to request: RelayRequest) {
        var delivery = Delivery(request: request)
        for (event, bytes) in events {
            guard request.rule.seen.insert(event) else {
                statistics.duplicates += 1
                continue
            }
            statistics.events += 1
            delivery.updates.append(.event(event, from: url))
            delivery.bytes += bytes
        }
        guard !delivery.updates.isEmpty else { return }
        push(&delivery)
    }

    /// Events of one request that follow each other.
    private struct Delivery {
        var request: RelayRequest?
        var updates: [SubscriptionUpdate] = []
        var bytes = 0
    }

    private func push(_ delivery: inout Delivery) {
        if let request = delivery.request { push(delivery.updates, bytes: delivery.bytes, to: request) }
        delivery = Delivery()
    }

    func push(_ updates: [SubscriptionUpdate], bytes: Int = 0, to request: RelayRequest) {
        let hasRoom = request.queue.push(updates, bytes: bytes) {
            self.loop.execute { self.assumeIsolated { $0.roomCame() } }
        }
        if !hasRoom { isHeld = true }
    }

    private func roomCame() {
        guard isHeld else { return }
        isHeld = false
        // The time that the consumer took is not the relay's.
        for request in requests.values {
            request.lastProgress = loop.now
            request.lastNews = loop.now
        }
        advanceLane()
    }

    private func adjustReading() {
        let (count, bytes) = (options.receiveBacklog, options.receiveBacklogBytes)
        let shouldPause = isHeld || lane.count >= count || lane.bytes >= bytes
        let mayResume = !isHeld && lane.count <= count / 2 && lane.bytes <= bytes / 2
        guard let socket else { return }
        if shouldPause, !isReadingPaused {
            isReadingPaused = true
            socket.assumeIsolated { $0.pauseDelivery() }
        } else if isReadingPaused, mayResume {
            isReadingPaused = false
            socket.assumeIsolated { $0.resumeDelivery() }
        }
    }
}

import NostrEvents
import Sockets

/// An event on its way to one relay.
final class Publication {
    enum Phase {
        case waiting
        case sent
        /// Refused until this client has authenticated.
        case parked
        case delayed(LoopTimer)
    }

    let event: Event
    /// Grows with each publication, so that those that waited together go on in order.
    let number: Int
    var trackers: [PublishTracker]
    var phase = Phase.waiting
    var retries = 0
    var authenticationsWhenSent = 0
    var wasSent = false
    var sentAt: ContinuousClock.Instant?
    var refusal: StatusMessage?
    var notice: String?

    init(_ event: Event, number: Int, _ tracker: PublishTracker) {
        self.event = event
        self.number = number
        trackers = [tracker]
    }

    var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    var isSent: Bool { if case .sent = phase { true } else { false } }
    var isParked: Bool { if case .parked = phase { true } else { false } }
}

extension RelayConnection {
    private static let retriesWhenRateLimited = 3

    /// Sends events as the relay keeps up. Each outcome is told to the tracker.
    func publish(_ events: [Event], _ tracker: PublishTracker) {
        do throws(TransportError) {
            try makeReady()
        } catch {
            for event in events { tracker.report(event.id, url, .unavailable(error)) }
            return
        }
        for event in events {
            if let known = publications[event.id] {
                known.trackers.append(tracker)
            } else {
                lastPublication += 1
                publications[event.id] = Publication(event, number: lastPublication, tracker)
                unsent.append(event.id)
            }
        }
        sendUnsentEvents()
    }

    /// The time of a call of `publish` is over: what is open for it gets its outcome and is forgotten. Answers that come
    /// later are ignored.
    func withdraw(_ ids: [EventID], _ tracker: PublishTracker) {
        for id in ids {
            guard let publication = publications[id], publication.trackers.contains(where: { $0 === tracker }) else {
                continue
            }
            tracker.conclude(id, url, openOutcome(of: publication))
            publication.trackers.removeAll { $0 === tracker }
            if publication.trackers.isEmpty { remove(publication) }
        }
        sendUnsentEvents()
    }

    private func openOutcome(of publication: Publication) -> PublishOutcome {
        if let refusal = publication.refusal { return .rejected(refusal) }
        if publication.wasSent { return .unconfirmed(notice: publication.notice) }
        return .unavailable(.noAnswer(notice: nil))
    }

    func sendUnsentEvents() {
        while socket != nil, hasRoomToSend, unanswered < options.publishWindow, unsentIndex < unsent.count {
            let id = unsent[unsentIndex]
            unsentIndex += 1
            guard let publication = publications[id], publication.isWaiting else { continue }
            let message = ClientMessage.event(publication.event.wire).json
            guard message.count <= largestMessage else {
                resolve(publication, .tooLarge(bytes: message.count, limit: largestMessage))
                continue
            }
            publication.phase = .sent
            publication.wasSent = true
            publication.sentAt = loop.now
            publication.authenticationsWhenSent = authentication.successes
            unanswered += 1
            send(message)
        }
        if unsentIndex == unsent.count {
            unsent = []
            unsentIndex = 0
        } else if unsentIndex >= 4_096 {
            unsent.removeFirst(unsentIndex)
            unsentIndex = 0
        }
    }

    /// An OK came.
    func answered(_ id: EventID, _ accepted: Bool, _ status: StatusMessage) {
        if authentication.pending[id] != nil {
            authenticationAnswered(id, accepted, status)
            return
        }
        guard let publication = publications[id], publication.isSent else { return }
        if let sentAt = publication.sentAt { statistics.roundTrip = loop.now - sentAt }
        if accepted || status.prefix == .duplicate {
            if case .readOnly = state, accepted { set(.connected) }
            resolve(publication, .accepted(status))
        } else {
            refused(publication, status)
        }
        sendUnsentEvents()
    }

    private func refused(_ publication: Publication, _ status: StatusMessage) {
        switch status.prefix {
        case .authenticationRequired where authentication.successes > publication.authenticationsWhenSent:
            sendAgain(publication)
        case .authenticationRequired where canAuthenticate:
            leaveWire(publication)
            publication.refusal = status
            publication.phase = .parked
            authenticate(.required(status))
        case .rateLimited where publication.retries < Self.retriesWhenRateLimited:
            leaveWire(publication)
            publication.refusal = status
            var backoff = Backoff(options.backoff)
            for _ in 0..<publication.retries { _ = backoff.nextDelay(random: 0) }
            publication.retries += 1
            let (id, number) = (publication.event.id, publication.number)
            let timer = loop.schedule(after: backoff.nextDelay(random: options.random())) { [weak self] in
                self?.assumeIsolated { connection in
                    guard let publication = connection.publications[id], publication.number == number else { return }
                    connection.sendAgain(publication)
                }
            }
            publication.phase = .delayed(timer)
        case .authenticationRequired, .restricted:
            set(.readOnly(status.text))
            resolve(publication, .rejected(status))
        default:
            resolve(publication, .rejected(status))
        }
    }

    private func sendAgain(_ publication: Publication) {
        leaveWire(publication)
        publication.phase = .waiting
        publication.refusal = nil
        unsent.append(publication.event.id)
        sendUnsentEvents()
    }

    private func leaveWire(_ publication: Publication) {
        if case .sent = publication.phase { unanswered -= 1 }
        if case .delayed(let timer) = publication.phase { timer.cancel() }
    }

    private func remove(_ publication: Publication) {
        leaveWire(publication)
        publications[publication.event.id] = nil
    }

    private func resolve(_ publication: Publication, _ outcome: PublishOutcome) {
        remove(publication)
        for tracker in publication.trackers { tracker.report(publication.event.id, url, outcome) }
    }

    /// The connection is gone.
    func failPublications(_ error: TransportError) {
        let open = publications
        for publication in open.values {
            let outcome: PublishOutcome =
                if let refusal = publication.refusal {
                    .rejected(refusal)
                } else {
                    publication.wasSent ? .disconnected(error) : .unavailable(error)
                }
            resolve(publication, outcome)
        }
        unsent = []
        unsentIndex = 0
    }

    var hasParkedPublications: Bool { publications.values.contains { $0.isParked } }

    func publicationsAfterAuthentication() {
        let parked = publications.values.filter { $0.isParked }
        for publication in parked.sorted(by: { $0.number < $1.number }) { sendAgain(publication) }
    }

    func publicationsAfterRefusedAuthentication(_ status: StatusMessage) {
        for publication in Array(publications.values) where publication.isParked {
            resolve(publication, .rejected(publication.refusal ?? status))
        }
        sendUnsentEvents()
    }

    /// A NOTICE came that may be the answer to what was sent.
    func hastenPublications() {
        for publication in publications.values where publication.isSent { publication.notice = statistics.lastNotice }
    }
}

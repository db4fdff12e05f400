import NostrEvents
import Sockets

// Nothing is waited for without an end: every request has a watchdog that measures from its last progress. What came before is
// progress too, because a page of known events may be long, but not for ever: a relay could repeat itself without end.

extension RelayConnection {
    func watch(_ request: RelayRequest) {
        request.lastProgress = loop.now
        request.lastNews = loop.now
        watch(request, until: request.lastProgress.advanced(by: request.stallTime))
    }

    private func watch(_ request: RelayRequest, until deadline: ContinuousClock.Instant) {
        request.watchdog?.cancel()
        let token = request.token
        request.watchdog = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { connection in
                if let request = connection.requests[token] { connection.look(at: request) }
            }
        }
    }

    private func look(at request: RelayRequest) {
        // What waits here is no fault of the relay.
        if isHeld || !lane.isEmpty {
            request.lastProgress = loop.now
            request.lastNews = loop.now
        }
        let time = request.isHastened ? min(request.stallTime, options.noticeGrace) : request.stallTime
        let deadline = min(
            request.lastProgress.advanced(by: time),
            request.lastNews.advanced(by: request.stallTime * Self.patienceWithRepetition)
        )
        guard loop.now >= deadline else {
            watch(request, until: deadline)
            return
        }
        request.watchdog = nil
        if request.isSent, !request.waitsForRoom {
            if request.wires.contains(where: \.isShared) { shareLater(request) }
            takeOffWire(request)
            waitingRequests.removeAll { $0 == request.token }
            sendLaterOrFinish(request, .noAnswer(notice: request.isHastened ? statistics.lastNotice : nil))
        } else if request.isParked {
            finish(request, request.refusal.map(TransportError.refused) ?? .noAnswer(notice: nil))
        } else if request.isWaiting || request.waitsForRoom, socket != nil {
            let error = TransportError.subscriptionLimit(subscriptionLimit)
            if request.extent == .stored {
                finish(request, error)
            } else {
                if !request.isToldOfLimit { push([.interrupted(url, error)], to: request) }
                request.isToldOfLimit = true
                // Meanwhile others may share again.
                watch(request)
                sendWaitingRequests()
            }
        }
    }

    private static let patienceWithRepetition = 2

    private func sendLaterOrFinish(_ request: RelayRequest, _ error: TransportError) {
        if request.extent == .stored { finish(request, error) } else { sendLater(request, error) }
    }

    /// A NOTICE came, which may be how the relay refuses a request that it has not answered at all.
    func hastenWatchdogs() {
        for request in requestsInOrder where request.isSent && !request.isHastened {
            guard !request.waitsForRoom, !request.wires.contains(where: \.hasEvents) else { continue }
            request.isHastened = true
            request.lastProgress = loop.now
            watch(request, until: loop.now.advanced(by: min(request.stallTime, options.noticeGrace)))
        }
        hastenPublications()
    }
}

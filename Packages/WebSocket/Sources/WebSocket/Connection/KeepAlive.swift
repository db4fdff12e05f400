/// When to ping and when to give up, as a pure rule over the times that are told to it.
struct KeepAlive {
    enum Action: Equatable {
        /// Look again at this time.
        case wait(until: ContinuousClock.Instant)
        /// Send a ping, and look again at this time.
        case ping(lookAgain: ContinuousClock.Instant)
        /// The other end is dead.
        case giveUp
    }

    private let interval: Duration
    private let timeout: Duration
    private var lastHeard: ContinuousClock.Instant
    private var pinged: ContinuousClock.Instant?

    init(interval: Duration, timeout: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        self.timeout = timeout
        lastHeard = now
    }

    /// Anything that comes proves that the other end lives.
    mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = now
        pinged = nil
    }

    /// While this end does not read, silence says nothing.
    mutating func next(at now: ContinuousClock.Instant, isReading: Bool) -> Action {
        if !isReading { heard(at: now) }
        if let pinged {
            let end = pinged.advanced(by: timeout)
            return now < end ? .wait(until: end) : .giveUp
        }
        let due = lastHeard.advanced(by: interval)
        guard now >= due else { return .wait(until: due) }
        pinged = now
        return .ping(lookAgain: now.advanced(by: timeout))
    }
}

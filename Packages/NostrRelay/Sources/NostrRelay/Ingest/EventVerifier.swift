import NostrCrypto
import NostrEvents
import NostrStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Verifies events and asks the policies about them.
final class EventVerifier: Sendable {
    private let policies: PolicyChain
    private let counters: Counters
    private let urls: @Sendable () -> [RelayURL]
    private let now: @Sendable () -> Int64
    private let keys = PublicKeyCache(capacity: 16_384)

    init(
        policies: PolicyChain,
        counters: Counters,
        urls: @escaping @Sendable () -> [RelayURL],
        now: @escaping @Sendable () -> Int64
    ) {
        self.policies = policies
        self.counters = counters
        self.urls = urls
        self.now = now
    }

    func verify(_ items: [IngestItem]) -> [VerifiedItem] {
        let before = Self.threadTime
        defer { counters.verificationNanoseconds.add(Self.threadTime - before) }
        return items.map { VerifiedItem(item: $0, verdict: verdict($0)) }
    }

    private func verdict(_ item: IngestItem) -> VerifiedItem.Verdict {
        let event: Event
        do throws(EventError) {
            event = try Event(verifying: item.event, keys: keys)
        } catch {
            return .refused(StatusMessage(.invalid, error.description))
        }
        switch item.purpose {
        case .authenticate(let challenge): return authenticate(event, challenge)
        case .publish:
            if Protection.isProtected(event.tags), !item.client.authenticated.contains(event.pubkey) {
                return .refused(
                    item.client.authenticated.isEmpty
                        ? StatusMessage(.authenticationRequired, "only its author may publish this event")
                        : StatusMessage(.restricted, "only its author may publish this event")
                )
            }
            if Protection.embedsProtectedEvent(event) {
                return .refused(StatusMessage(.blocked, "a protected event may not be embedded in a repost"))
            }
            switch policies.accept(event, from: item.client) {
            case .accept: return .publish(event)
            case .refuse(let status): return .refused(status)
            }
        }
    }

    private func authenticate(_ event: Event, _ challenge: String) -> VerifiedItem.Verdict {
        var problem = EventError.invalidAuthentication(.wrongRelay)
        for url in urls() {
            do throws(EventError) {
                try RelayAuthentication.check(event, challenge: challenge, relay: url, now: now())
                return .authenticate(event)
            } catch {
                problem = error
                if error != .invalidAuthentication(.wrongRelay) { break }
            }
        }
        return .refused(StatusMessage(.invalid, problem.description))
    }

    /// Processor time of this thread, nanoseconds.
    private static var threadTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

/// An event that was looked at.
struct VerifiedItem: Sendable {
    enum Verdict: Sendable {
        case publish(Event)
        case authenticate(Event)
        case refused(StatusMessage)
    }

    /// What became of it in the end.
    enum Outcome: Sendable {
        case stored
        case passedOn
        /// It was there already (`isAccepted`), or a newer version is.
        case known(isAccepted: Bool, StatusMessage)
        case refused(StatusMessage)
        case authenticated(Event)
    }

    let item: IngestItem
    let verdict: Verdict

    func answer(_ outcome: Outcome) -> IngestAnswer {
        var isAccepted = true
        var status = StatusMessage.empty
        var authenticated: Event?
        switch outcome {
        case .stored, .passedOn: break
        case .known(let accepted, let message): (isAccepted, status) = (accepted, message)
        case .refused(let message): (isAccepted, status) = (false, message)
        case .authenticated(let event): authenticated = event
        }
        return IngestAnswer(
            id: item.event.id,
            isAccepted: isAccepted,
            status: status,
            authenticated: authenticated,
            size: item.size
        )
    }
}

extension VerifiedItem.Outcome {
    /// Of an event that is not stored.
    init(_ verdict: VerifiedItem.Verdict) {
        switch verdict {
        case .publish: self = .refused(StatusMessage(.error, "the event was not stored"))
        case .authenticate(let event): self = .authenticated(event)
        case .refused(let status): self = .refused(status)
        }
    }

    /// Of an event that was given to the database; nil: that failed.
    init(_ outcome: IngestOutcome?) {
        switch outcome {
        case .stored: self = .stored
        case .ephemeral: self = .passedOn
        case .duplicate: self = .known(isAccepted: true, StatusMessage(.duplicate, "already have this event"))
        case .superseded: self = .known(isAccepted: false, StatusMessage(.duplicate, "a newer version is stored"))
        case .expired: self = .refused(StatusMessage(.invalid, "the event has expired"))
        case .deleted: self = .refused(StatusMessage(.blocked, "its author has asked for its deletion"))
        case .vanished: self = .refused(StatusMessage(.blocked, "its author or addressee has asked to vanish"))
        case nil: self = .refused(StatusMessage(.error, "the database cannot store the event now"))
        }
    }

    /// Whether subscribers are told.
    var isNews: Bool {
        switch self {
        case .stored, .passedOn: true
        case .known, .refused, .authenticated: false
        }
    }
}

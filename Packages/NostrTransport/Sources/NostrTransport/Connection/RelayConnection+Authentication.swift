public import NostrCrypto
import NostrEvents
import Sockets

/// How far this client has said on one connection who it is.
struct AuthenticationState {
    var challenge: String?
    /// The challenge that was answered last.
    var answered: String?
    /// The round that is under way: the authenticator works, or the relay has answers to judge.
    var round: Int?
    /// Rounds on this connection, which a relay could otherwise make endless.
    var rounds = 0
    var timer: LoopTimer?
    /// Answers without an OK, and whose they are.
    var pending: [EventID: Bytes32] = [:]
    var isAnyAccepted = false
    var refusal = StatusMessage.empty
    /// How often a round ended well.
    var successes = 0
    var keys: Set<Bytes32> = []
}

extension RelayConnection {
    private static let mostRounds = 16
    private static let longestChallenge = 1_024

    /// The keys by which the relay knows this client on the present connection.
    public var authenticatedKeys: Set<Bytes32> { authentication.keys }

    /// Whether authenticating may still change the relay's mind.
    var canAuthenticate: Bool {
        guard options.authenticator != nil, socket != nil else { return false }
        if authentication.round != nil { return true }
        // A challenge that has not come yet may come after the refusal.
        guard let challenge = authentication.challenge else { return true }
        return authentication.rounds < Self.mostRounds && challenge != authentication.answered
    }

    func challengeCame(_ challenge: String) {
        guard challenge.utf8.count <= Self.longestChallenge else {
            statistics.malformed += 1
            return
        }
        authentication.challenge = challenge
        authenticate(isAnythingParked ? .required(.empty) : .offered)
    }

    private var isAnythingParked: Bool {
        hasParkedRequests || hasParkedPublications || !authenticationWaiters.isEmpty
    }

    /// Waits until this client has authenticated. False if that fails, or takes too long.
    func authenticated(for status: StatusMessage) async -> Bool {
        guard canAuthenticate else { return false }
        return await waitForAuthentication { authenticate(.required(status)) }
    }

    func authenticate(_ occasion: AuthenticationRequest.Occasion) {
        guard let authenticator = options.authenticator, let challenge = authentication.challenge,
            authentication.round == nil, challenge != authentication.answered, socket != nil,
            authentication.rounds < Self.mostRounds
        else { return }
        lastRound += 1
        let round = lastRound
        authentication.round = round
        authentication.rounds += 1
        authentication.isAnyAccepted = false
        authentication.timer = loop.schedule(after: options.authenticationTime) { [weak self] in
            self?.assumeIsolated { $0.concludeRound(round) }
        }
        let request = AuthenticationRequest(relay: url, challenge: challenge, occasion: occasion, now: options.now())
        Task {
            let answers = await authenticator.answers(request)
            sendAnswers(answers, to: request, round)
        }
    }

    private func sendAnswers(_ answers: [Event], to request: AuthenticationRequest, _ round: Int) {
        guard authentication.round == round, socket != nil else { return }
        for answer in answers {
            do throws(EventError) {
                try RelayAuthentication.check(answer, challenge: request.challenge, relay: url, now: options.now())
            } catch {
                statistics.withheldAnswers += 1
                continue
            }
            authentication.pending[answer.id] = answer.pubkey
            authentication.answered = request.challenge
            send(ClientMessage.authenticate(answer.wire).json)
        }
        if authentication.pending.isEmpty {
            concludeRound(round, isRefusal: request.occasion != .offered)
        } else {
            set(.authenticating)
        }
    }

    func authenticationAnswered(_ id: EventID, _ accepted: Bool, _ status: StatusMessage) {
        guard let key = authentication.pending.removeValue(forKey: id) else { return }
        if accepted {
            authentication.keys.insert(key)
            authentication.isAnyAccepted = true
        } else {
            authentication.refusal = status
        }
        if authentication.pending.isEmpty, let round = authentication.round { concludeRound(round) }
    }

    /// - Parameter isRefusal: without an accepted answer, whether what waits is given up.
    private func concludeRound(_ round: Int, isRefusal: Bool = true) {
        guard authentication.round == round else { return }
        authentication.round = nil
        authentication.timer?.cancel()
        let wasAnswered = authentication.answered == authentication.challenge || !authentication.pending.isEmpty
        authentication.pending = [:]
        if authentication.isAnyAccepted {
            authentication.successes += 1
            set(.connected)
            authenticationWaiters.resumeAll(true)
            requestsAfterAuthentication()
            publicationsAfterAuthentication()
        } else if isRefusal {
            if wasAnswered { set(.readOnly(authentication.refusal.text)) }
            giveUpParked()
        } else if isAnythingParked {
            // Something was refused while the authenticator thought about a mere offer.
            authenticate(.required(.empty))
        }
        // The relay may have sent another challenge meanwhile.
        if isAnythingParked { authenticate(.required(.empty)) }
    }

    private func giveUpParked() {
        authenticationWaiters.resumeAll(false)
        requestsAfterRefusedAuthentication(authentication.refusal)
        publicationsAfterRefusedAuthentication(authentication.refusal)
    }

    /// The connection is gone, and with it what the relay knew.
    func endAuthentication() {
        authentication.timer?.cancel()
        authentication = AuthenticationState()
        authenticationWaiters.resumeAll(false)
    }
}

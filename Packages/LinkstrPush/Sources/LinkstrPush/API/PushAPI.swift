internal import NostrCrypto
internal import NostrEvents
internal import Sockets

/// Answers requests. The order is: path, method, who asks too often, who it is, JSON, values, and then the store, which claims
/// the nonce and does what is asked in one transaction.
struct PushAPI: Sendable {
    let store: any PushStore
    let settings: PushSettings
    let metrics: PushMetrics
    let log: PushLog
    let clock: PushClock
    let wake: @Sendable () -> Void

    private let keys = PublicKeyCache()
    private let addresses: RateLimiter<ClientAddress>
    private let accounts: RateLimiter<Bytes32>
    private let strangers: RateLimiter<Int>
    private let shares: StorageShares

    init(
        store: any PushStore,
        settings: PushSettings,
        metrics: PushMetrics,
        log: PushLog,
        clock: PushClock,
        wake: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.settings = settings
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.wake = wake
        let limits = settings.limits
        addresses = RateLimiter(limits.perAddress, remembering: limits.remembered)
        accounts = RateLimiter(limits.perAccount, remembering: limits.remembered)
        strangers = RateLimiter(limits.unauthenticated, remembering: 2)
        shares = StorageShares(limits)
    }

    private enum Endpoint: String, CaseIterable {
        case health = "/healthz"
        case register = "/v1/devices/register"
        case unregister = "/v1/devices/unregister"
        case archive = "/v1/conversations/archive-state"
        case push = "/v1/push"

        var method: String {
            switch self {
            case .health: "GET"
            case .archive: "PUT"
            case .register, .unregister, .push: "POST"
            }
        }

        var done: JSONValue {
            switch self {
            case .health: "ok"
            case .register: "registered"
            case .unregister: "unregistered"
            case .archive: "synced"
            case .push: "accepted"
            }
        }
    }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let response = await respond(to: request)
        metrics.answered(response.status)
        return response
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        var path = String(request.head.path)
        if !settings.pathPrefix.isEmpty, path.hasPrefix(settings.pathPrefix + "/") {
            path.removeFirst(settings.pathPrefix.count)
        }
        guard let endpoint = Endpoint(rawValue: path) else { return Self.error(404, "there is nothing at this path") }
        guard request.head.method == endpoint.method else {
            var response = Self.error(405, "this path takes \(endpoint.method)")
            try? response.fields.append("Allow", endpoint.method)
            return response
        }
        if endpoint == .health {
            return metrics.isStoreWell
                ? Self.json(200, ["status": "ok"]) : Self.error(500, "the storage does not work")
        }
        guard request.body.count <= PushLimits.bodySize else { return Self.error(400, "the body is too large") }
        let now = clock.milliseconds()
        let seconds = Double(now) / 1000
        let address = ClientAddress(of: request, behind: settings.proxies)
        if let address, !addresses.take(address, at: seconds) { return limited() }
        guard strangers.take(0, at: seconds) else { return limited() }
        let claim: NonceClaim
        do {
            claim = try authenticate(request, path: settings.pathPrefix + path, now: now / 1000)
        } catch {
            return Self.error(401, "the request is not signed as it must be")
        }
        strangers.giveBack(0)
        guard accounts.take(claim.account, at: seconds) else { return limited() }
        return await perform(endpoint, request.body, claim, address, now)
    }

    private func authenticate(
        _ request: HTTPRequest,
        path: String,
        now: Int64
    ) throws(PushAuthorization.Problem) -> NonceClaim {
        guard let header = request.head.fields.single("authorization") else { throw .malformedHeader }
        let authorization = try PushAuthorization(
            header: header,
            method: request.head.method,
            path: path,
            body: request.body,
            now: now
        )
        let event = try authorization.verified(keys: keys)
        return NonceClaim(account: event.pubkey, nonce: authorization.nonce)
    }

    private func perform(
        _ endpoint: Endpoint,
        _ body: [UInt8],
        _ claim: NonceClaim,
        _ address: ClientAddress?,
        _ now: Int64
    ) async -> HTTPResponse {
        var command = PushCommand.nothing
        var refusal: PushRefusal?
        do throws(PushRefusal) {
            command = try self.command(endpoint, body, now)
        } catch {
            refusal = error
        }
        let seconds = Double(now) / 1000
        let most = command.mostWeight(settings.limits)
        var weight = 0
        if !command.onlyFrees {
            let wait = shares.reserve(claim.account, address, most, at: seconds)
            guard wait == 0 else { return limited(for: wait) }
        }
        defer { if !command.onlyFrees { shares.settle(claim.account, address, most, weight, at: seconds) } }
        let reply: PushReply
        do {
            reply = try await store.perform(command, for: claim, now: now)
            weight = command.weight(of: reply)
        } catch PushStoreError.overloaded {
            return Self.error(503, "the gateway has too much to do")
        } catch {
            metrics.storeFailed()
            log.write("a request could not be stored: \(error)")
            return Self.error(500, "the storage does not work")
        }
        switch reply {
        case .nonceUsed: return Self.error(401, "the request is not signed as it must be")
        case .storageFull:
            var response = Self.error(503, "the gateway's storage is full")
            try? response.fields.append("Retry-After", "60")
            return response
        case .tooManyArchived: return Self.error(400, "too many sessions would be archived")
        case .done, .added:
            return refusal.map { Self.error(400, $0.description) } ?? Self.json(202, ["status": endpoint.done])
        case .queued(let recipients, let devices):
            metrics.add(devices, to: \.queued)
            if devices > 0 { wake() }
            return Self.json(
                202,
                [
                    "status": "accepted", "recipient_count": .integer(Int64(recipients)),
                    "candidate_devices": .integer(Int64(devices)),
                ]
            )
        }
    }

    private func command(_ endpoint: Endpoint, _ body: [UInt8], _ now: Int64) throws(PushRefusal) -> PushCommand {
        switch endpoint {
        case .health: return .nothing
        case .register: return .register(try DeviceRegistration(json: body))
        case .unregister: return .unregister(try DeviceRemoval(json: body))
        case .archive: return .archive(try ArchiveState(json: body))
        case .push:
            let event = try PushRequest(json: body)
            return .enqueue(
                PushJobRequest(
                    notification: try PushNotification(event, isPrivate: settings.isPrivate),
                    event: event,
                    recipients: event.recipients.compactMap { try? Bytes32(hex: $0) },
                    expires: now + settings.lifetime.milliseconds
                )
            )
        }
    }

    private func limited(for seconds: Double = 1) -> HTTPResponse {
        metrics.add(1, to: \.limited)
        var response = Self.error(429, "too many requests")
        try? response.fields.append("Retry-After", String(Int(min(seconds, 3600).rounded(.up))))
        return response
    }

    static func error(_ status: Int, _ text: String) -> HTTPResponse {
        json(status, ["error": .string(text)])
    }

    private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, text: "\(value)", type: "application/json")
    }
}

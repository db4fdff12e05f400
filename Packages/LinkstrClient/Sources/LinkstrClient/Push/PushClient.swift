public import NostrCrypto
internal import NostrEvents
public import Sockets

/// Speaks to a push service for one account: a service that wakes the phones of a session's members. Each request is signed by the
/// account. May be used from anywhere.
///
/// ```swift
/// let push = try PushClient(baseURL: "https://push.example", keyPair: keyPair)
/// await push.announce(.post(id: rumor.id.hex, sessionID: session), to: members)
/// ```
public struct PushClient: Sendable {
    /// The variable that names the push service, for who has no setting.
    public static let environmentVariable = "LINKSTR_PUSH_SERVICE_BASE_URL"

    /// Which of Apple's services a device token belongs to.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// For apps that were installed by Xcode.
        case sandbox
        /// For apps from the App Store and TestFlight.
        case production
    }

    private let base: String
    private let keyPair: KeyPair
    private let http: HTTPClient
    private let now: @Sendable () -> Int64
    private let random: RandomSource

    /// - Parameters:
    ///   - baseURL: the address of the service, with or without a path. Its paths are appended, and signed with it.
    ///   - http: how it is reached; redirects are never followed.
    ///   - now: seconds since 1970.
    /// - Throws: ``PushClientError/invalidAddress(reason:)``, ``PushClientError/insecureAddress`` for http to another host than this
    ///   one.
    public init(
        baseURL: String,
        keyPair: KeyPair,
        http: HTTPClient = PushClient.standardHTTP,
        now: @escaping @Sendable () -> Int64 = PushClient.systemTime,
        random: RandomSource = .system
    ) throws(PushClientError) {
        base = try Self.address(baseURL)
        self.keyPair = keyPair
        self.now = now
        self.random = random
        var http = http
        http.redirects = .none
        self.http = http
    }

    /// The address of a push service in the form in which it is compared.
    ///
    /// - Throws: ``PushClientError/invalidAddress(reason:)``, ``PushClientError/insecureAddress``.
    public static func address(_ text: String) throws(PushClientError) -> String {
        let url: HTTPURL
        do throws(SocketsError) {
            url = try HTTPURL(text)
        } catch .invalidURL(let reason) {
            throw .invalidAddress(reason: reason)
        } catch {
            throw .invalidAddress(reason: "it is no URL")
        }
        guard url.scheme == .https || url.scheme == .http else {
            throw .invalidAddress(reason: "it does not begin with https://")
        }
        guard !url.target.contains("?") else { throw .invalidAddress(reason: "it has a query") }
        guard url.isSecure || isThisMachine(url.host) else { throw .insecureAddress }
        var base = url.description
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// Ten seconds for everything and small answers.
    public static var standardHTTP: HTTPClient {
        var http = HTTPClient()
        http.timeout = .seconds(10)
        http.bodyLimit = 64 * 1024
        return http
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        switch IPAddress(host) {
        case .v4(let bits): return bits >> 24 == 127
        case .v6(0, 1, _): return true
        case .v6, nil: return false
        }
    }

    // MARK: Devices

    /// Asks for alerts on a device. Again whenever token, environment or account change; a token belongs to the last account that
    /// asked.
    ///
    /// - Parameter token: the device's token, as Apple gave it to the app.
    public func register(_ token: String, _ environment: Environment) async throws(PushClientError) {
        let body: JSONValue = ["device_token": .string(token), "apns_environment": .string(environment.rawValue)]
        _ = try await ask("POST", "/v1/devices/register", body)
    }

    /// Asks for no more alerts on a device.
    public func unregister(_ token: String) async throws(PushClientError) {
        _ = try await ask("POST", "/v1/devices/unregister", ["device_token": .string(token)])
    }

    /// Whether the service is there and well; nobody's signature is needed.
    public func checkHealth() async throws(PushClientError) {
        let response: HTTPResponse
        do {
            response = try await http.get(try HTTPURL(base + "/healthz"))
        } catch {
            throw .connection(error)
        }
        guard response.status == 200 else { throw .unavailable(status: response.status) }
        guard (try? JSONValue(json: response.body))?["status"]?.string == "ok" else { throw .unexpectedAnswer }
    }

    // MARK: Sessions

    /// Says which of some sessions are archived, so that nobody is woken for them. About other sessions nothing is said.
    func sendArchive(_ known: [String], archived: [String]) async throws(PushClientError) {
        let body: JSONValue = [
            "archived_conversation_ids": .array(archived.map { .string($0) }),
            "known_conversation_ids": .array(known.map { .string($0) }),
        ]
        _ = try await ask("PUT", "/v1/conversations/archive-state", body)
    }

    /// Tells the service of something new, so that it alerts the members. To be called after relays have accepted it; whatever comes
    /// of it, the post or the reaction stands.
    ///
    /// - Parameters:
    ///   - members: public keys of the active members. One's own may be among them and is skipped by the service.
    /// - Returns: what became of it. A failure is for a log or a hint, never a reason to call a send failed.
    @discardableResult
    public func announce(
        _ announcement: PushAnnouncement,
        to members: some Sequence<Bytes32>
    ) async -> Result<PushAcceptance, PushClientError> {
        var body = JSONObject()
        switch announcement.content {
        case .post: body["notification_type"] = "new_post"
        case .reaction(let emoji, let postID):
            body["notification_type"] = "new_emoji_reaction"
            body["emoji"] = .string(emoji)
            body["post_id"] = .string(postID)
        }
        body["event_id"] = .string(announcement.eventID)
        body["conversation_id"] = .string(announcement.sessionID)
        let members = Array(members)
        var total = PushAcceptance(recipients: 0, devices: 0)
        do throws(PushClientError) {
            // A service takes 65,536 bytes at once.
            for start in stride(from: 0, to: members.count, by: 500) {
                let some = members[start..<min(start + 500, members.count)]
                body["recipient_pubkeys"] = .array(some.map { .string($0.hex) })
                let answer = try await ask("POST", "/v1/push", .object(body))
                guard let recipients = answer["recipient_count"]?.integer, (0...500).contains(recipients),
                    let devices = answer["candidate_devices"]?.integer, (0...1_000_000).contains(devices)
                else { throw .unexpectedAnswer }
                total.recipients += Int(recipients)
                total.devices += Int(devices)
            }
            return .success(total)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Requests

    private func ask(_ method: String, _ path: String, _ value: JSONValue) async throws(PushClientError) -> JSONValue {
        let body = value.json
        let response: HTTPResponse
        do throws(SocketsError) {
            let url = try HTTPURL(base + path)
            var fields = HTTPFields()
            try fields.append("Authorization", authorization(method, url.target, body))
            if method == "PUT" {
                response = try await http.put(url, body: body, type: "application/json", fields: fields)
            } else {
                response = try await http.post(url, body: body, type: "application/json", fields: fields)
            }
        } catch {
            throw .connection(error)
        }
        return try Self.read(response)
    }

    private static func read(_ response: HTTPResponse) throws(PushClientError) -> JSONValue {
        let answer = try? JSONValue(json: response.body)
        switch response.status {
        case 202:
            guard let answer, answer.object != nil else { throw .unexpectedAnswer }
            return answer
        case 401: throw .notAuthorized
        case 429: throw .tooManyRequests
        case 400:
            throw .refused(String((answer?["error"]?.string ?? "").unicodeScalars.prefix(200).map(Character.init)))
        case 500...599: throw .unavailable(status: response.status)
        default: throw .unexpectedAnswer
        }
    }

    /// The header that proves who asks: an event with a tag for everything that matters, good for one request.
    private func authorization(_ method: String, _ path: String, _ body: [UInt8]) -> String {
        let event = Event(
            kind: .httpAuthentication,
            content: "",
            tags: [
                Tag("method", method), Tag("path", path), Tag("payload_sha256", SHA256.hash(body).hex),
                Tag("nonce", random.bytes32().hex),
            ],
            createdAt: now(),
            signedBy: keyPair
        )
        return "Nostr " + Base64.encode(event.json)
    }
}

import Foundation
import LinkstrPush
import Locking
import NostrCrypto
import NostrEvents
import SQLite
import Sockets
import TestSupport
import Testing

/// How long a test waits before it gives up.
let patience: Duration = .seconds(60)

/// A folder that goes with the test.
struct Folder {
    private let temporary: TemporaryFolder
    var path: String { temporary.path }

    init() throws { temporary = try TemporaryFolder() }

    var database: Location { .file(path + "/push.db") }
}

/// A clock that stands until it is set.
final class HeldClock: Sendable {
    private let time: Locked<Int64>

    init(_ milliseconds: Int64 = 1_800_000_000_000) {
        time = Locked(milliseconds)
    }

    var clock: PushClock { PushClock { self.milliseconds } }
    var milliseconds: Int64 { time.withLock { $0 } }
    var seconds: Int64 { milliseconds / 1000 }
    func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// A sender that answers as it is told, and remembers.
final class ScriptedSender: PushSender {
    struct Sent: Sendable, Equatable {
        var token: String
        var notification: PushNotification
        var expiration: Int64
        var time: Duration
    }

    private struct State {
        var sent: [Sent] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())
    private let outcome: @Sendable (Sent, Int) async -> PushOutcome

    /// - Parameter outcome: of a notification, and how many were sent before it.
    init(_ outcome: @escaping @Sendable (Sent, Int) async -> PushOutcome = { _, _ in .delivered }) {
        self.outcome = outcome
    }

    var sent: [Sent] { state.withLock { $0.sent } }

    func send(
        _ notification: PushNotification,
        to device: PushTarget,
        expiration: Int64,
        within time: Duration
    ) async -> PushOutcome {
        let sent = Sent(token: device.token, notification: notification, expiration: expiration, time: time)
        let (count, ready) = state.withLock { state in
            state.sent.append(sent)
            let ready = state.waiters.filter { $0.count <= state.sent.count }
            state.waiters.removeAll { $0.count <= state.sent.count }
            return (state.sent.count - 1, ready)
        }
        for waiter in ready { waiter.continuation.resume() }
        return await outcome(sent, count)
    }

    func close() async {}

    /// Returns once so many were sent.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.sent.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Asks until something is so.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// A gateway on the loopback, and what a test says to it.
struct Gateway {
    let service: PushService
    let clock: HeldClock
    let prefix: String

    init(
        _ folder: Folder,
        sender: any PushSender = ScriptedSender(),
        clock: HeldClock = HeldClock(),
        store: (any PushStore)? = nil,
        prefix: String = "",
        change: (inout PushSettings) -> Void = { _ in }
    ) async throws {
        var settings = PushSettings()
        settings.address = .ip(.loopback4, port: 0)
        settings.pathPrefix = prefix
        change(&settings)
        let own: any PushStore
        if let store {
            own = store
        } else {
            own = try await SQLitePushStore(folder.database, limits: settings.limits, now: clock.milliseconds)
        }
        service = try PushService(settings, store: own, sender: sender, clock: clock.clock, random: { 0 })
        self.clock = clock
        self.prefix = prefix
    }

    struct Answer: Equatable {
        var status: Int
        var body: JSONValue
    }

    /// How a request differs from a right one.
    struct Difference {
        var kind = Kind.httpAuthentication
        var method: String?
        var path: String?
        var hash: String?
        var nonce: String? = UUID().uuidString
        var age: Int64 = 0
        var header: ((String) -> String?)?
        var sentBody: String?
        var tags: [NostrEvents.Tag] = []
    }

    /// A signed request as it goes over the wire.
    func request(_ method: String, _ path: String, _ body: String, by key: KeyPair, _ difference: Difference) -> String
    {
        var tags = difference.tags
        tags.append(Tag("method", difference.method ?? method))
        tags.append(Tag("path", difference.path ?? prefix + path))
        tags.append(Tag("payload_sha256", difference.hash ?? SHA256.hash(body).hex))
        if let nonce = difference.nonce { tags.append(Tag("nonce", nonce)) }
        let event = Event(
            kind: difference.kind,
            content: "",
            tags: tags,
            createdAt: clock.seconds - difference.age,
            signedBy: key
        )
        let header = "Nostr " + Base64.encode(event.json)
        let authorization = (difference.header.map { $0(header) } ?? header).map { "Authorization: \($0)\r\n" } ?? ""
        return raw(method, prefix + path, difference.sentBody ?? body, authorization)
    }

    func raw(_ method: String, _ path: String, _ body: String, _ fields: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(fields)"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    func send(_ text: String) async throws -> Answer {
        let port = try #require(service.address.port)
        let loop = try EventLoopGroup.shared.next()
        let connection = await Connection(try await Connector().connect(to: "127.0.0.1", port: port, on: loop))
        try await connection.write(Array(text.utf8), within: patience)
        var bytes: [UInt8] = []
        while let more = try await connection.read(within: patience) { bytes += more }
        await connection.close()
        let answer = String(decoding: bytes, as: UTF8.self)
        let status = try #require(answer.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let body = try #require(answer.split(separator: "\r\n\r\n", maxSplits: 1).last)
        return Answer(status: status, body: try JSONValue(json: String(body)))
    }

    @discardableResult
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue,
        by key: KeyPair,
        _ difference: Difference = Difference()
    ) async throws -> Answer {
        try await send(request(method, path, body.description, by: key, difference))
    }

    @discardableResult
    func register(_ token: String, _ environment: String = "sandbox", by key: KeyPair) async throws -> Answer {
        let body: JSONValue = ["device_token": .string(token), "apns_environment": .string(environment)]
        return try await ask("POST", "/v1/devices/register", body, by: key)
    }

    @discardableResult
    func unregister(_ token: String, by key: KeyPair) async throws -> Answer {
        try await ask("POST", "/v1/devices/unregister", ["device_token": .string(token)], by: key)
    }

    @discardableResult
    func archive(_ archived: [String], known: [String]? = nil, by key: KeyPair) async throws -> Answer {
        var body: JSONObject = JSONObject()
        body["archived_conversation_ids"] = .array(archived.map { .string($0) })
        if let known { body["known_conversation_ids"] = .array(known.map { .string($0) }) }
        return try await ask("PUT", "/v1/conversations/archive-state", .object(body), by: key)
    }

    @discardableResult
    func post(
        _ event: String,
        in session: String = "S",
        to recipients: [KeyPair],
        by key: KeyPair
    ) async throws -> Answer {
        let body: JSONValue = [
            "notification_type": "new_post", "event_id": .string(event), "conversation_id": .string(session),
            "recipient_pubkeys": .array(recipients.map { .string($0.publicKey.hex) }),
        ]
        return try await ask("POST", "/v1/push", body, by: key)
    }
}

extension Gateway.Answer {
    static func accepted(_ recipients: Int64, _ devices: Int64) -> Gateway.Answer {
        Gateway.Answer(
            status: 202,
            body: [
                "status": "accepted", "recipient_count": .integer(recipients), "candidate_devices": .integer(devices),
            ]
        )
    }
}

import Foundation
import LinkstrPush
import NostrCrypto
import NostrEvents
import SQLite
import Sockets

/// What the push gateway costs. `pushbench STAGE [NUMBER]`:
///
///     verify [REQUESTS]    signed requests from 16 clients in another process: share of the gateway's processor that verification has
///     enqueue [DEVICES]    a post to 50 recipients of so many devices; 10,000 accounts have 200 archived sessions each
///     drain [JOBS]         notifications a second to nghttpd on one connection
@main
enum PushBench {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let number = arguments.dropFirst().first.flatMap { Int($0) }
        let folder = FileManager.default.temporaryDirectory.path + "/pushbench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        switch arguments.first {
        case "verify": try await verify(folder, number ?? 20_000)
        // What verify starts.
        case "clients": try await clients(Array(arguments.dropFirst()))
        case "enqueue": try await enqueue(folder, number ?? 1_000_000)
        case "drain":
            #if Push
                try await drain(folder, number ?? 50_000)
            #else
                print("drain needs a build with --traits Push")
            #endif
        default: print("usage: pushbench verify|enqueue|drain [NUMBER]")
        }
    }

    /// Processor time of this process, in seconds.
    static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func settings() -> PushSettings {
        var settings = PushSettings()
        settings.address = .ip(.loopback4, port: 0)
        settings.limits.perAccount = .init(burst: 1e9, perSecond: 1e9)
        settings.limits.perAddress = .init(burst: 1e9, perSecond: 1e9)
        settings.limits.storedPerAccount = .init(burst: 1e9, perSecond: 1e9)
        settings.limits.storedPerAddress = .init(burst: 1e9, perSecond: 1e9)
        return settings
    }

    static func request(_ body: String, by key: KeyPair) -> [UInt8] {
        let event = Event(
            kind: .httpAuthentication,
            content: "",
            tags: [
                Tag("method", "POST"), Tag("path", "/v1/push"), Tag("payload_sha256", SHA256.hash(body).hex),
                Tag("nonce", SecureRandom.bytes32().hex),
            ],
            createdAt: Int64(time(nil)),
            signedBy: key
        )
        return Array(
            ("POST /v1/push HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Nostr "
                + "\(Base64.encode(event.json))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8
        )
    }

    static func post(_ event: Int, to recipients: [Bytes32]) -> String {
        let body: JSONValue = [
            "notification_type": "new_post", "event_id": .string(SHA256.hash("\(event)").hex),
            "conversation_id": "0A1B2C3D4E5F60718293A4B5C6D7E8F9",
            "recipient_pubkeys": .array(recipients.map { .string($0.hex) }),
        ]
        return body.description
    }

    /// One request after the other on a connection that is kept.
    static func ask(_ connection: Sockets.Connection, _ request: [UInt8]) async throws {
        try await connection.write(request, within: .seconds(30))
        var answer: [UInt8] = []
        while !String(decoding: answer, as: UTF8.self).contains("}") {
            guard let more = try await connection.read(within: .seconds(30)) else { throw SocketsError.endedEarly }
            answer += more
        }
        guard answer.starts(with: "HTTP/1.1 202".utf8) else { throw SocketsError.endedEarly }
    }

    static func connect(_ port: UInt16, on group: EventLoopGroup) async throws -> Sockets.Connection {
        await Sockets.Connection(try await Connector().connect(to: "127.0.0.1", port: port, on: group.next()))
    }

    static func micro(_ seconds: Double) -> String { "\((seconds * 1e7).rounded() / 10) us" }
    static func milli(_ time: Duration) -> String { "\((time / .microseconds(10)).rounded() / 100) ms" }
    static func share(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    // MARK: enqueue

    static func key(_ number: Int) -> Bytes32 { SHA256.hash("account \(number)") }

    static func enqueue(_ folder: String, _ devices: Int) async throws {
        let store = try await SQLitePushStore(.file(folder + "/push.db"), now: 0)
        let start = ContinuousClock.now
        // Time passes between the registrations, so that their nonces do not pile up.
        let batch = 4000
        for first in stride(from: 0, to: devices, by: batch) {
            let now = Int64(first / batch) * 1_000_000
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in first..<min(first + batch, devices) {
                    tasks.addTask {
                        let registration = DeviceRegistration(
                            token: SHA256.hash("token \(number)").hex,
                            environment: .production
                        )
                        let claim = NonceClaim(account: key(number), nonce: "r")
                        _ = try await store.perform(.register(registration), for: claim, now: now)
                    }
                }
                try await tasks.waitForAll()
            }
        }
        let accounts = min(10_000, devices)
        let state = try ArchiveState(
            json: Array(
                #"{"archived_conversation_ids":[\#((0..<200).map { "\"session \($0)\"" }.joined(separator: ","))]}"#
                    .utf8
            )
        )
        for first in stride(from: 0, to: accounts, by: 256) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in first..<min(first + 256, accounts) {
                    tasks.addTask {
                        let claim = NonceClaim(account: key(number), nonce: "a\(first)")
                        _ = try await store.perform(.archive(state), for: claim, now: 1 << 40)
                    }
                }
                try await tasks.waitForAll()
            }
        }
        print("\(devices) devices, \(accounts * 200) archived sessions in \(ContinuousClock.now - start)")
        let service = try PushService(settings(), store: store, sender: LogSender { _ in })
        let connection = try await connect(service.address.port ?? 0, on: .shared)
        let author = KeyPair.generate()
        var random = SystemRandomNumberGenerator()
        var times: [Duration] = []
        for number in 0..<900 {
            // Half of the recipients are among those that have archived much.
            let recipients = (0..<50).map { one in
                key(Int.random(in: 0..<(one % 2 == 0 ? accounts : devices), using: &random))
            }
            let prepared = request(post(number, to: recipients), by: author)
            let begin = ContinuousClock.now
            try await ask(connection, prepared)
            times.append(ContinuousClock.now - begin)
        }
        times.sort()
        let (median, late, worst) = (milli(times[450]), milli(times[855]), milli(times[899]))
        print("post to 50 recipients: p50 \(median), p95 \(late), worst \(worst)")
        await connection.abort()
        await service.stop()
    }
}

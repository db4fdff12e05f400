import Foundation
import LinkstrPush
import Locking
import NostrEvents
import SQLite
import Sockets

/// A gateway that remembers what it would have sent.
final class Gateway: Sendable {
    let sent = Locked<[(token: String, payload: JSONValue)]>([])
    let folder = FileManager.default.temporaryDirectory.path + "/push-" + UUID().uuidString
    private let service: Locked<PushService?> = Locked(nil)
    var url: String { "http://127.0.0.1:\(service.withLock { $0?.address.port ?? 0 })/some/path" }

    struct Sender: PushSender {
        let sent: Locked<[(token: String, payload: JSONValue)]>

        func send(
            _ notification: PushNotification,
            to device: PushTarget,
            expiration: Int64,
            within time: Duration
        ) async -> PushOutcome {
            let payload = (try? JSONValue(json: notification.payload)) ?? .null
            sent.withLock { $0.append((device.token, payload)) }
            return .delivered
        }

        func close() async {}
    }

    init(_ change: (inout PushSettings) -> Void = { _ in }) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var settings = PushSettings()
        settings.address = .ip(.loopback4, port: 0)
        settings.pathPrefix = "/some/path"
        change(&settings)
        let store = try await SQLitePushStore(.file(folder + "/push.db"), now: PushClock.system.milliseconds())
        let made = try PushService(settings, store: store, sender: Sender(sent: sent))
        service.withLock { $0 = made }
    }

    /// What was sent, once it is this many; the caller's time limit ends the wait for what never comes.
    func delivered(_ count: Int) async -> [(token: String, payload: JSONValue)] {
        while sent.withLock({ $0.count }) < count { await Task.yield() }
        return sent.withLock { $0 }
    }

    func stop() async {
        await service.withLock { $0 }?.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// A service that takes everything and writes it down.
final class PushLog: Sendable {
    struct Request {
        let path: String
        let body: JSONValue
    }

    let server: HTTPServer
    let requests: Locked<[Request]>
    /// The request that is answered with 500, counted down; below one none is.
    let fails: Locked<Int>
    var url: String { "http://127.0.0.1:\(server.address.port ?? 0)" }

    init() throws {
        let (requests, fails) = (Locked<[Request]>([]), Locked(0))
        self.requests = requests
        self.fails = fails
        server = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
            let isFailing = fails.withLock { fails in
                defer { fails -= 1 }
                return fails == 1
            }
            if isFailing { return HTTPResponse(status: 500) }
            let body = (try? JSONValue(json: request.body)) ?? .null
            requests.withLock { $0.append(Request(path: String(request.head.target), body: body)) }
            let answer = #"{"status":"accepted","recipient_count":0,"candidate_devices":0}"#
            return HTTPResponse(status: 202, text: answer, type: "application/json")
        }
    }

    /// The archive states that were sent since the last call; what else was sent is forgotten.
    func take() -> [(known: [String], archived: [String])] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests.filter { $0.path == "/v1/conversations/archive-state" }.map { request in
                (
                    request.body["known_conversation_ids"]?.array?.compactMap(\.string) ?? [],
                    request.body["archived_conversation_ids"]?.array?.compactMap(\.string) ?? []
                )
            }
        }
    }
}

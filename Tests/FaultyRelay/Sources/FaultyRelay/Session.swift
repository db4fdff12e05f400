import Negentropy
public import NostrCrypto
public import NostrEvents
import Sockets
import WebSocket

/// One client of a scripted relay.
///
/// `@unchecked Sendable`: all state is touched on the relay's loop alone, by the relay and its scripts.
public final class Session: @unchecked Sendable {
    /// The first client is number 1.
    public let number: Int
    /// What the client has open.
    public internal(set) var subscriptions: [SubscriptionID: [Filter]] = [:]
    /// Who it is.
    public internal(set) var keys: Set<Bytes32> = []
    /// What it was asked to sign.
    public internal(set) var challenge: String?
    /// Messages of this client so far of each type, for scripts that behave differently later.
    public var counts: [String: Int] = [:]

    let socket: WebSocketConnection
    let stream: any ByteStream
    var reconciliations: [SubscriptionID: NegentropyServer<InMemoryNegentropySet>] = [:]
    private var waiting: [WebSocketMessage] = []

    init(number: Int, socket: WebSocketConnection, stream: any ByteStream) {
        self.number = number
        self.socket = socket
        self.stream = stream
    }

    /// Counts up, and says how often it was called for the same name.
    public func count(_ name: String) -> Int {
        counts[name, default: 0] += 1
        return counts[name] ?? 0
    }

    func send(_ message: WebSocketMessage) {
        waiting.append(message)
        if waiting.count == 1 { flush() }
    }

    func flush() {
        var sent = 0
        while sent < waiting.count {
            let message = waiting[sent]
            guard socket.assumeIsolated({ $0.enqueue([message]) }) != .refused else { break }
            sent += 1
        }
        waiting.removeFirst(sent)
    }
}

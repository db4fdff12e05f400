import Negentropy
import NostrCrypto
public import NostrEvents
public import Sockets
public import WebSocket

/// A relay in memory for tests. By itself it is an honest one (NIP-01, 11, 42, 45, 67 and 77); a script decides for each
/// message of a client what it does instead.
///
/// ```swift
/// let relay = ScriptedRelay(on: loop, events: stored)
/// await relay.follow { relay, session, message in
///     if case .request = message { return [.drop] }
///     return relay.honest(session, message)
/// }
/// ```
public actor ScriptedRelay {
    /// Answers a message of a client, on the relay's loop.
    public typealias Script = @Sendable (isolated ScriptedRelay, Session, ClientMessage) -> [Action]

    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What is stored, newest first as NIP-01 asks.
    public private(set) var events: [Event]
    /// Whether ``received`` grows; not for a relay that runs for hours.
    public var remembersMessages = true
    /// All messages that came from clients, and how many connections there have been and are.
    public private(set) var received: [ClientMessage] = []
    public private(set) var connections = 0
    public private(set) var openConnections = 0
    /// The most events that are sent for one filter.
    public var pageLimit = 10_000
    /// Whether the end of stored events says if there are more (NIP-67).
    public var givesHints = false
    /// Whether anything but AUTH needs authentication (NIP-42).
    public var requiresAuthentication = false
    /// The address that AUTH must name; nil: any.
    public var url: RelayURL?
    /// The information document (NIP-11).
    public var information = #"{"name":"scripted"}"#

    private var ids: Set<EventID>
    private var script: Script = { $0.honest($1, $2) }
    private var opening: @Sendable (isolated ScriptedRelay, Session) -> [Action] = { _, _ in [] }
    private var sessions: [Int: Session] = [:]
    private var server: HTTPServer?
    private var observers: [(condition: @Sendable (isolated ScriptedRelay) -> Bool, CheckedContinuation<Void, Never>)] =
        []

    public init(on loop: EventLoop, events: [Event] = []) {
        self.loop = loop
        self.events = events.sorted(by: Self.isNewer)
        ids = Set(events.map(\.id))
    }

    // MARK: Scripts

    /// What to do from now on when a message comes.
    public func follow(_ script: @escaping Script) {
        self.script = script
    }

    /// What to do from now on when a client has connected.
    public func greet(_ opening: @escaping @Sendable (isolated ScriptedRelay, Session) -> [Action]) {
        self.opening = opening
    }

    /// Changes something, on the relay's loop.
    public func change(_ body: @Sendable (isolated ScriptedRelay) -> Void) {
        body(self)
        check()
    }

    /// Waits until something is so.
    public func until(_ condition: @escaping @Sendable (isolated ScriptedRelay) -> Bool) async {
        guard !condition(self) else { return }
        await withCheckedContinuation { observers.append((condition, $0)) }
    }

    private func check() {
        let all = observers
        observers = []
        for observer in all {
            if observer.condition(self) { observer.1.resume() } else { observers.append(observer) }
        }
    }

    // MARK: Connections

    /// Listens on the loopback.
    ///
    /// - Returns: the address.
    public func listen() throws -> RelayURL {
        let upgrade: HTTPServer.Upgrade = { head, stream in
            guard let socket = try? Self.webSocket.upgrade(head, over: stream) else { return }
            self.assumeIsolated { $0.accept(socket, stream) }
        }
        let server = try HTTPServer(
            on: .ip(.loopback4, port: 0),
            group: EventLoopGroup(loop),
            upgrades: ["websocket": upgrade]
        ) { _ in
            HTTPResponse(status: 200, text: await self.information, type: "application/nostr+json")
        }
        self.server = server
        return try RelayURL("ws://127.0.0.1:\(server.address.port ?? 0)")
    }

    /// Listens no more. Open connections stay.
    public func stopListening() {
        server?.close()
        server = nil
    }

    /// Resets all connections.
    public func dropAll() {
        for session in sessions.values { perform([.drop], session) }
    }

    /// A connection to this relay through memory, on its loop. For `TransportOptions.open`.
    public nonisolated func connect(
        _ url: RelayURL,
        capacity: Int = 64 * 1024,
        with client: WebSocketClient = WebSocketClient()
    ) async throws(WebSocketError) -> WebSocketConnection {
        let streams = await pair(capacity)
        Task {
            guard let socket = try? await Self.webSocket.accept(streams.server) else { return }
            await accept(socket, streams.server)
        }
        return try await client.open(url.text, over: streams.client)
    }

    private static let webSocket: WebSocketServer = {
        var server = WebSocketServer()
        server.options.largestSentMessage = 64 << 20
        server.options.receiveBufferBytes = 64 << 20
        // A ping of the relay would be a sign of life that no script has asked for.
        server.options.pingInterval = nil
        return server
    }()

    private func pair(_ capacity: Int) -> (client: MemoryStream, server: MemoryStream) {
        let (client, server) = MemoryStream.pair(on: loop, capacity: capacity)
        return (client, server)
    }

    private func accept(_ socket: WebSocketConnection, _ stream: any ByteStream) {
        connections += 1
        openConnections += 1
        let session = Session(number: connections, socket: socket, stream: stream)
        sessions[session.number] = session
        let handler = SessionHandler(relay: self, session: session)
        socket.assumeIsolated { $0.deliver(to: handler) }
        perform(opening(self, session), session)
        check()
    }

    fileprivate func closed(_ session: Session) {
        sessions[session.number] = nil
        openConnections -= 1
        check()
    }

    fileprivate func take(_ messages: [WebSocketMessage], _ session: Session) {
        for message in messages {
            guard let message = try? ClientMessage(json: message.bytes) else {
                perform([.send(.notice("that is no message"))], session)
                continue
            }
            if remembersMessages { received.append(message) }
            perform(script(self, session, message), session)
        }
        check()
    }

    // MARK: Doing

    /// Does something to a client.
    public func perform(_ actions: [Action], _ session: Session) {
        for (index, action) in actions.enumerated() {
            switch action {
            case .send(let message): session.send(WebSocketMessage(kind: .text, bytes: message.json))
            case .text(let bytes): session.send(WebSocketMessage(kind: .text, bytes: bytes))
            case .binary(let bytes): session.send(.binary(bytes))
            case .drop: session.socket.assumeIsolated { $0.abort() }
            case .halfClose: session.stream.finishWriting()
            case .close(let code, let reason): session.socket.assumeIsolated { $0.startClosing(code, reason: reason) }
            case .stopReading: session.socket.assumeIsolated { $0.pauseDelivery() }
            case .wait(let time):
                let rest = Array(actions[(index + 1)...])
                loop.schedule(after: time) { self.assumeIsolated { $0.perform(rest, session) } }
                return
            }
        }
    }

    /// Does something to every client that is connected.
    public func performOnAll(_ actions: [Action]) {
        for session in sessions.values { perform(actions, session) }
    }

    /// Stores an event, and sends it to those who have asked for it.
    public func store(_ event: Event) {
        guard ids.insert(event.id).inserted else { return }
        events.insert(event, at: events.firstIndex { !Self.isNewer($0, event) } ?? events.endIndex)
        for session in sessions.values {
            for (name, filters) in session.subscriptions where filters.match(event) {
                perform([.send(.event(name, event.wire))], session)
            }
        }
    }

    static func isNewer(_ left: Event, _ right: Event) -> Bool {
        left.createdAt != right.createdAt ? left.createdAt > right.createdAt : left.id < right.id
    }
}

/// What the WebSocket calls, on the loop.
private final class SessionHandler: WebSocketHandler {
    private let relay: ScriptedRelay
    private let session: Session

    init(relay: ScriptedRelay, session: Session) {
        self.relay = relay
        self.session = session
    }

    func received(_ messages: [WebSocketMessage]) {
        relay.assumeIsolated { $0.take(messages, session) }
    }

    func writable() {
        session.flush()
    }

    func closed(_ status: CloseStatus, error: WebSocketError?) {
        relay.assumeIsolated { $0.closed(session) }
    }
}

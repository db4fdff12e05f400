import NostrCrypto
public import NostrEvents
public import Sockets
import WebSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The connection to one relay, made again whenever it ends. It runs on an event loop; ``RelayPool`` is the way to use it.
///
/// What comes is looked at on the loop, verified on all cores and delivered in the relay's order. What is not for an open
/// request, does not match it, is forged or was seen before is dropped and counted.
public actor RelayConnection {
    /// The relay.
    public nonisolated let url: RelayURL
    /// The loop that the connection runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let options: TransportOptions
    let keys: PublicKeyCache
    let observer: @Sendable (RelayURL, RelayStatus) -> Void

    var state = RelayState.disconnected
    var statistics = RelayStatistics()
    var information: RelayInformation?

    // The socket.
    var socket: WebSocketConnection?
    /// Counts connections, so that what an earlier one still calls is told apart.
    var epoch = 0
    var isWanted = false
    var isDisabled = false
    var isShutDown = false
    var opening: Task<Void, Never>?
    var openedAt: ContinuousClock.Instant?
    var reconnection: LoopTimer?
    var backoff: Backoff
    var outbox: [WebSocketMessage] = []
    var forgedOnThisConnection = 0
    var isReadingPaused = false

    // Requests.
    var requests: [Int: RelayRequest] = [:]
    var waitingRequests: [Int] = []
    /// REQs of which something may still come, by their numbers, and those that the relay has, by their names.
    var wires: [Int: WireRequest] = [:]
    var wiresByName: [UInt64: WireRequest] = [:]
    var lastToken = 0
    var lastWireNumber = 0
    var lastName = 0
    var lane: VerificationLane
    var isHeld = false
    var isAdvancing = false

    // Publications.
    var publications: [EventID: Publication] = [:]
    var unsent: [EventID] = []
    var unsentIndex = 0
    var unanswered = 0
    var lastPublication = 0

    // Counts and reconciliations.
    var exchanges: [String: Exchange] = [:]

    // Authentication.
    var authentication = AuthenticationState()
    var lastRound = 0
    var openWaiters = WaiterList()
    var authenticationWaiters = WaiterList()

    init(
        _ url: RelayURL,
        on loop: EventLoop,
        options: TransportOptions,
        keys: PublicKeyCache,
        observer: @escaping @Sendable (RelayURL, RelayStatus) -> Void = { _, _ in }
    ) {
        self.url = url
        self.loop = loop
        self.options = options
        self.keys = keys
        self.observer = observer
        backoff = Backoff(options.backoff)
        lane = VerificationLane(cores: Self.cores)
    }

    static let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    // MARK: Life

    /// Where it stands now, with its figures.
    public var status: RelayStatus { RelayStatus(state: state, statistics: statistics) }

    /// What the relay says of itself (NIP-11), if that has been read.
    public var relayInformation: RelayInformation? { information }

    /// Connects, and stays connected until ``stop()``. Nothing happens if it is disabled or connected.
    public func start() {
        guard !isDisabled, !isShutDown else { return }
        isWanted = true
        switch state {
        case .disconnected, .failed(_, retryIn: nil): connect()
        default: break
        }
    }

    /// Connects if that is not under way, for something that is wanted now.
    ///
    /// - Throws: why it is not connected and will not be for a while.
    func makeReady() throws(TransportError) {
        if isDisabled { throw .disabled }
        if isShutDown { throw .stopped }
        if case .failed(let error, retryIn: .some) = state { throw error }
        start()
    }

    /// Waits until messages can be sent.
    func waitUntilOpen() async throws(TransportError) {
        while socket == nil {
            try makeReady()
            let isOpen = await waitForOpening()
            if Task.isCancelled { throw .cancelled }
            if !isOpen, case .failed(let error, _) = state { throw error }
            if !isOpen, !isWanted { throw isDisabled ? .disabled : .stopped }
        }
    }

    /// Closes the connection and everything that was asked of it, until something is asked of it again.
    public func stop() {
        end(.disconnected, .stopped)
    }

    /// Stops for good, and waits until the socket is gone.
    func shutDown() async {
        let socket = self.socket
        isShutDown = true
        stop()
        await socket?.close()
    }

    /// Stops, and stays stopped until ``enable()``.
    public func disable() {
        isDisabled = true
        end(.disabled, .disabled)
    }

    /// Connects again after ``disable()``.
    public func enable() {
        guard isDisabled else { return }
        isDisabled = false
        state = .disconnected
        start()
    }

    /// The network has changed: what waits to connect again does so at once, and the waits begin anew.
    public func networkChanged() {
        backoff.reset()
        guard reconnection != nil else { return }
        connect()
    }

    private func end(_ state: RelayState, _ error: TransportError) {
        isWanted = false
        reconnection?.cancel()
        reconnection = nil
        opening?.cancel()
        opening = nil
        for request in requestsInOrder { for wire in request.wires { close(wire) } }
        for name in exchanges.keys { closeExchange(name) }
        let socket = self.socket.take()
        for request in requestsInOrder { finish(request, error) }
        dropEverything(error)
        socket?.assumeIsolated { $0.startClosing() }
        epoch += 1
        statistics.failingSince = nil
        set(state)
    }

    func set(_ state: RelayState) {
        guard state != self.state else { return }
        self.state = state
        observer(url, status)
    }

    // MARK: Connecting

    func connect() {
        reconnection?.cancel()
        reconnection = nil
        epoch += 1
        let epoch = self.epoch
        let begun = loop.now
        set(.connecting)
        opening = Task {
            let result: Result<WebSocketConnection, WebSocketError>
            do throws(WebSocketError) {
                result = .success(try await options.connect(to: url, on: loop))
            } catch {
                result = .failure(error)
            }
            opened(result, epoch, begun)
        }
    }

    private func opened(
        _ result: Result<WebSocketConnection, WebSocketError>,
        _ epoch: Int,
        _ begun: ContinuousClock.Instant
    ) {
        guard epoch == self.epoch, isWanted else {
            if case .success(let socket) = result { socket.assumeIsolated { $0.abort() } }
            return
        }
        opening = nil
        switch result {
        case .failure(let error):
            statistics.failedAttempts += 1
            connectionEnded(.connection(error))
        case .success(let socket):
            precondition(socket.loop === loop, "a WebSocket for this relay must be opened on its connection's loop")
            self.socket = socket
            openedAt = loop.now
            statistics.connections += 1
            statistics.connectTime = loop.now - begun
            statistics.failingSince = nil
            forgedOnThisConnection = 0
            set(.connected)
            let handler = SocketHandler(connection: self, epoch: epoch)
            socket.assumeIsolated { $0.deliver(to: handler) }
            openWaiters.resumeAll(true)
            readInformation()
            sendWaitingRequests()
            sendUnsentEvents()
        }
    }

    private func readInformation() {
        guard information == nil, let cache = options.information else { return }
        let connector = options.webSocket.connector
        Task {
            guard let information = try? await cache.information(of: url, through: connector) else { return }
            self.information = information
            sendWaitingRequests()
        }
    }

    func socketClosed(_ status: CloseStatus, _ error: WebSocketError?, _ epoch: Int) {
        guard epoch == self.epoch, socket != nil else { return }
        let reason = error.map(TransportError.connection)
        connectionEnded(reason ?? .closedByRelay(code: status.code, reason: status.reason))
    }

    /// Gives the connection up because of what the relay does.
    func leave(_ error: TransportError, code: CloseCode) {
        guard let socket else { return }
        self.socket = nil
        socket.assumeIsolated { $0.startClosing(code, reason: error.description) }
        connectionEnded(error)
    }

    private func connectionEnded(_ error: TransportError) {
        socket = nil
        epoch += 1
        if let openedAt { backoff.connectionLasted(loop.now - openedAt) }
        openedAt = nil
        let delay = options.reconnects ? backoff.nextDelay(random: options.random()) : nil
        dropEverything(error)
        if statistics.failingSince == nil { statistics.failingSince = loop.now }
        if let delay {
            reconnection = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.connect() } }
        } else {
            isWanted = false
        }
        set(.failed(error, retryIn: delay))
    }

    /// Tells everything that hangs on the connection that it is gone.
    private func dropEverything(_ error: TransportError) {
        outbox = []
        isReadingPaused = false
        for request in requestsInOrder { interrupt(request, error) }
        failPublications(error)
        failExchanges(error)
        endAuthentication()
        openWaiters.resumeAll(false)
        advanceLane()
    }

    // MARK: Sending

    /// Sends a message, or keeps it until there is room. What is kept is bounded by what waits for answers.
    func send(_ json: [UInt8]) {
        guard let socket else { return }
        let message = WebSocketMessage(kind: .text, bytes: json)
        guard outbox.isEmpty else {
            outbox.append(message)
            return
        }
        if socket.assumeIsolated({ $0.enqueue([message]) }) == .refused { outbox.append(message) }
    }

    var hasRoomToSend: Bool { outbox.isEmpty }

    func flushOutbox(_ epoch: Int) {
        guard epoch == self.epoch, let socket else { return }
        var sent = 0
        while sent < outbox.count {
            let message = outbox[sent]
            guard socket.assumeIsolated({ $0.enqueue([message]) }) != .refused else { break }
            sent += 1
        }
        outbox.removeFirst(sent)
        sendUnsentEvents()
    }

    /// The largest message the relay takes, bytes.
    var largestMessage: Int {
        min(information?.limits.messageBytes ?? .max, options.webSocket.options.largestSentMessage)
    }
}

/// What the WebSocket calls, on the loop.
private final class SocketHandler: WebSocketHandler {
    private let connection: RelayConnection
    private let epoch: Int

    init(connection: RelayConnection, epoch: Int) {
        self.connection = connection
        self.epoch = epoch
    }

    func received(_ messages: [WebSocketMessage]) {
        connection.assumeIsolated { $0.take(messages, epoch) }
    }

    func writable() {
        connection.assumeIsolated { $0.flushOutbox(epoch) }
    }

    func closed(_ status: CloseStatus, error: WebSocketError?) {
        connection.assumeIsolated { $0.socketClosed(status, error, epoch) }
    }
}

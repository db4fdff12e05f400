public import Sockets

/// A push gateway: HTTP in front, a queue behind, and a sender.
///
/// ```swift
/// let store = try await SQLitePushStore(.file(path), now: PushClock.system.milliseconds())
/// let service = try PushService(settings, store: store, sender: sender)
/// // ...
/// await service.stop()
/// ```
public final class PushService: Sendable {
    /// Where it listens.
    public let address: SocketAddress
    /// Where metrics are served.
    public let metricsAddress: SocketAddress?
    /// What it has done.
    public let metrics: PushMetrics

    private let server: HTTPServer
    private let metricsServer: HTTPServer?
    private let worker: Task<Void, Never>
    private let store: any PushStore
    private let sender: any PushSender
    private let requests: OpenRequests

    /// Begins to listen and to send.
    ///
    /// - Parameters:
    ///   - store: where everything is kept; it is closed with the service.
    ///   - sender: who brings notifications to devices; it is closed with the service.
    ///   - log: what an operator should know.
    ///   - random: from 0 to 1, for the time between attempts.
    /// - Throws: `SocketsError` when an address cannot be listened at.
    public init(
        _ settings: PushSettings,
        store: any PushStore,
        sender: any PushSender,
        log: PushLog = .none,
        clock: PushClock = .system,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) throws(SocketsError) {
        let metrics = PushMetrics()
        var options = PushWorker.Options()
        options.concurrency = max(1, settings.concurrency)
        options.leaseTime = settings.leaseTime
        let worker = PushWorker(
            store: store,
            sender: sender,
            options: options,
            metrics: metrics,
            log: log,
            clock: clock,
            random: random
        )
        let api = PushAPI(
            store: store,
            settings: settings,
            metrics: metrics,
            log: log,
            clock: clock,
            wake: { worker.ring() }
        )
        let requests = OpenRequests()
        var limits = HTTPServer.Limits()
        limits.body = PushLimits.bodySize
        limits.headTime = .seconds(5)
        limits.connections = settings.limits.connections
        server = try HTTPServer(
            on: settings.address,
            limits: limits,
            // A body that is too large is a bad request here.
            refusal: { PushAPI.error($0 == 413 ? 400 : $0, $1) },
            handler: { request in
                guard requests.begin() else { return PushAPI.error(503, "the gateway is stopping") }
                defer { requests.end() }
                return await api.answer(request)
            }
        )
        if let address = settings.metricsAddress {
            metricsServer = try HTTPServer(on: address) { request in
                guard request.head.method == "GET", request.head.path == "/metrics" else {
                    return PushAPI.error(404, "there is nothing at this path")
                }
                return HTTPResponse(
                    status: 200,
                    text: metrics.text(try? await store.counts()),
                    type: "text/plain; version=0.0.4"
                )
            }
        } else {
            metricsServer = nil
        }
        address = server.address
        metricsAddress = metricsServer?.address
        self.metrics = metrics
        self.store = store
        self.sender = sender
        self.requests = requests
        self.worker = Task { await worker.run() }
    }

    /// Stops listening, answers what has been asked, gives back what is not sent yet, and closes the store. Ten seconds at most
    /// for the requests.
    public func stop() async {
        server.close()
        metricsServer?.close()
        await requests.finish(within: .seconds(10))
        worker.cancel()
        await worker.value
        await sender.close()
        await store.close()
    }
}

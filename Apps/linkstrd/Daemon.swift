import CommandKit
import ControlSocket
import LinkstrClient
import LinkstrPush
import Locking
import NostrEvents
import NostrRelay
import ServiceKit
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The daemon as a whole: what is started, in which order, and how it ends.
actor Daemon {
    /// Where it stands.
    enum State: String, Sendable {
        case starting
        case ready
        case reloading
        case stopping
    }

    private var launch: Launch
    private let log: Log
    private let manager = ServiceManager(environment: Environment.value)
    private let sockets = ActivatedSockets(environment: Environment.value)
    private let lock: HomeLock
    private let keeper: AccountKeeper
    private let state = Locked(State.starting)
    private let changes: AsyncStream<Void>
    private let started = ContinuousClock.now
    private var relay: EmbeddedRelay?
    private var push: PushService?
    private let control = Locked<ControlServer?>(nil)
    private var http: HTTPServer?

    /// How long requests may take to finish at the end. All of it has five seconds.
    private static let requestTime = Duration.milliseconds(2500)
    private static let drainTime = Duration.milliseconds(4700)

    /// Takes the lock of the home.
    /// - Throws: `IdentityError.inUse` with the process that has it.
    init(_ launch: Launch, log: Log) throws {
        self.launch = launch
        self.log = log
        lock = try HomeLock(launch.home)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        keeper = AccountKeeper(
            launch.home,
            wanted: launch.configuration.accounts,
            isTemporary: launch.isTemporary,
            log: log
        ) { continuation.yield() }
    }

    // MARK: Start

    /// Begins to listen, opens the accounts, and tells the service manager.
    func start() async throws {
        // Before anybody is told that it is ready. What goes wrong is in the log.
        Interruption.onHangup { Task { try? await self.reload() } }
        manager.tell(.status("starting"))
        log.info("starting", ["version": Linkstrd.version, "home": launch.home.data])
        if launch.isTemporary {
            log.warning("temporary: accounts begin empty, and what they receive is gone when the daemon ends")
        }
        relay = try await EmbeddedRelay.open(launch, adopting: sockets.descriptor(named: "relay"))
        if let relay { log.info("relay listening", ["address": relay.relay.url?.text ?? "\(relay.relay.address)"]) }
        try enterRelay()
        push = try await PushGateway.open(launch, log: log)
        if let push { log.info("push gateway listening", ["address": "\(push.address)"]) }
        let monitor = makeMonitor()
        try listen(monitor)
        http = try monitor.serve(
            adopting: sockets.descriptor(named: "http"),
            at: launch.configuration.httpAddress
        )
        if let http { log.info("http listening", ["address": "\(http.address)"]) }
        manager.tell(.status("opening accounts"))
        await keeper.reconcile()
        state.withLock { $0 = .ready }
        log.info("ready", ["accounts": String(await keeper.all.count)])
        manager.tell(.ready, .status(await keeper.sentence))
    }

    /// Puts the own relay into the list of the home, or takes one out that is not there any more.
    private func enterRelay() throws {
        var list = try launch.home.relayList()
        let before = list
        list.setEmbedded(relay?.ownAddress)
        if list != before { try launch.home.save(list) }
    }

    private func makeMonitor() -> Monitor {
        Monitor(
            keeper: keeper,
            relay: relay,
            started: started,
            state: { [state] in state.withLock { $0 } },
            clients: { [control] in control.withLock { $0 }?.connections ?? 0 }
        )
    }

    private func listen(_ monitor: Monitor) throws {
        let methods = ControlMethods(
            keeper: keeper,
            report: { await monitor.report() },
            reload: { () async throws(OperationFailure) in try await self.reload() }
        ).all
        let hello = ControlHello(
            home: launch.home.data,
            process: ProcessFigures.identifier,
            program: Linkstrd.version
        )
        let server: ControlServer
        if let descriptor = sockets.descriptor(named: "control") {
            server = try ControlServer(adopting: descriptor, hello: hello, methods: methods)
        } else {
            server = try ControlServer(at: launch.controlSocket, hello: hello, methods: methods)
        }
        control.withLock { $0 = server }
        if case .unix(let path) = server.address {
            lock.announce(socket: Files.absolute(path))
            log.info("control listening", ["socket": path])
        }
    }

    // MARK: Work

    /// Keeps the service manager up to date until the task is cancelled.
    func serve() async {
        await withTaskGroup { group in
            group.addTask { await self.tellStatus() }
            if let time = manager.watchdogTime { group.addTask { await self.tellAlive(every: time / 2) } }
            await group.waitForAll()
        }
    }

    private func tellStatus() async {
        var last = ""
        for await _ in changes {
            guard state.withLock({ $0 }) == .ready else { continue }
            let sentence = await keeper.sentence
            if sentence != last {
                manager.tell(.status(sentence))
                log.info("status", ["accounts": sentence])
            }
            last = sentence
        }
    }

    /// Says that the daemon is alive only after everything that could hang has answered: the loops, the accounts, and this actor.
    private func tellAlive(every interval: Duration) async {
        while !Task.isCancelled {
            for loop in (try? EventLoopGroup.shared.loops()) ?? [] { try? await loop.sleep(for: .zero) }
            _ = await keeper.all
            manager.tell(.alive)
            try? await Task.sleep(for: interval)
        }
    }

    // MARK: Reload

    /// Reads the configuration, the accounts and the relays anew. A configuration that is wrong changes nothing.
    func reload() async throws(OperationFailure) {
        guard state.withLock({ $0 }) == .ready else { return }
        let next: Launch
        do {
            next = try launch.again()
        } catch {
            let message = (error as? any ExitCoded)?.sentence ?? "\(error)"
            log.error("configuration not reloaded", ["reason": message])
            throw OperationFailure(.configuration, message)
        }
        state.withLock { $0 = .reloading }
        manager.tell(.reloading, .status("reloading"))
        log.set(level: next.configuration.logLevel, form: next.configuration.logForm)
        for setting in next.configuration.settings.changes(from: launch.configuration.settings) {
            if setting.isReloadable {
                log.info("setting changed", ["key": setting.name])
            } else {
                log.warning("setting needs a restart", ["key": setting.name])
            }
        }
        await keeper.want(next.configuration.accounts)
        await keeper.reconcile()
        launch = next
        state.withLock { $0 = .ready }
        log.info("reloaded")
        manager.tell(.ready, .status(await keeper.sentence))
    }

    // MARK: End

    /// Finishes what is under way and closes everything, within five seconds.
    func drain() async {
        state.withLock { $0 = .stopping }
        manager.tell(.stopping, .status("finishing what is under way"))
        log.info("stopping")
        let guardian = Task.detached { [log] in
            try await Task.sleep(for: Self.drainTime)
            // Nothing acknowledged is lost: databases commit before they say so.
            log.warning("stopped without waiting for everything")
            exit(0)
        }
        await keeper.keepAsItIs()
        let server = control.withLock { $0 }
        await server?.close(within: Self.requestTime)
        http?.close()
        async let pushEnds: Void? = push?.stop()
        await keeper.close()
        await relay?.close()
        _ = await pushEnds
        guardian.cancel()
        log.info("stopped")
    }
}

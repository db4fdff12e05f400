import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import NostrTransport
import Sockets

/// Answers `/healthz` and `/metrics`, and makes the report of `status`.
struct Monitor: Sendable {
    let keeper: AccountKeeper
    let relay: EmbeddedRelay?
    let started: ContinuousClock.Instant
    let state: @Sendable () -> Daemon.State
    let clients: @Sendable () -> Int

    /// Begins to serve, at a socket that the service manager has opened or at an address; nil where there is neither.
    func serve(adopting descriptor: Int32?, at address: SocketAddress?) throws -> HTTPServer? {
        var limits = HTTPServer.Limits()
        limits.body = 0
        limits.connections = 64
        let handler: HTTPServer.Handler = { request in await answer(request) }
        if let descriptor { return try HTTPServer(adopting: descriptor, limits: limits, handler: handler) }
        return try address.map { try HTTPServer(on: $0, limits: limits, handler: handler) }
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.head.method == "GET" || request.head.method == "HEAD" else {
            return HTTPResponse(status: 405, text: "Only GET is understood.\n")
        }
        switch request.head.target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        {
        case "/healthz": return await health()
        case "/metrics":
            return HTTPResponse(status: 200, text: await metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
        default: return HTTPResponse(status: 404, text: "There is /healthz and /metrics.\n")
        }
    }

    /// 200 while the daemon serves, its home can be read and no account has failed; else 503.
    private func health() async -> HTTPResponse {
        let entries = await keeper.all
        let isServing = state() == .ready
        let isWell = await keeper.homeProblem == nil && isServing && entries.allSatisfy { $0.failure == nil }
        let body: JSONValue = [
            "status": .string(isWell ? "ok" : isServing ? "degraded" : state().rawValue),
            "accounts": .integer(Int64(entries.count)),
            "open": .integer(Int64(entries.count { $0.state.runtime != nil })),
            "locked": .integer(Int64(entries.count { $0.word == "locked" })),
            "failed": .integer(Int64(entries.count { $0.failure != nil })),
        ]
        return HTTPResponse(status: isWell ? 200 : 503, text: "\(body)\n", type: "application/json")
    }

    /// The answer to `status`.
    func report() async -> JSONValue {
        var object = JSONObject()
        object["state"] = .string(state().rawValue)
        object["version"] = .string(Linkstrd.version)
        object["pid"] = .integer(ProcessFigures.identifier)
        object["home"] = .string(keeper.home.data)
        object["uptime"] = .integer((ContinuousClock.now - started).components.seconds)
        object["clients"] = .integer(Int64(clients()))
        object["relay"] = relay.map { .string($0.relay.url?.text ?? $0.relay.address.description) } ?? .null
        object["accounts"] = .array(await keeper.report())
        return .object(object)
    }

    private func metrics() async -> String {
        var text = PrometheusText()
        text.add("info", .gauge, "The version.", [([("version", Linkstrd.version)], 1)])
        text.add("uptime_seconds", .gauge, "How long it runs.", (ContinuousClock.now - started).components.seconds)
        if let bytes = ProcessFigures.residentBytes {
            text.add("resident_bytes", .gauge, "Resident memory.", bytes)
        }
        text.add("cpu_seconds_total", .counter, "Processor time.", [([], ProcessFigures.processorSeconds)])
        text.add("control_connections", .gauge, "Clients on the control socket.", clients())
        let entries = await keeper.all
        text.add(
            "accounts",
            .gauge,
            "Accounts by state.",
            ["open", "opening", "locked", "lent", "failed"].map { word in
                ([("state", word)], Double(entries.count { $0.word == word }))
            }
        )
        await addAccounts(&text)
        if let relay { await add(relay, &text) }
        return text.text
    }

    private func addAccounts(_ text: inout PrometheusText) async {
        let all = await keeper.statuses()
        func each(_ value: (RuntimeStatus) -> Double?) -> [(labels: [(String, String)], Double)] {
            all.compactMap { entry in value(entry.status).map { ([("account", entry.account.hex)], $0) } }
        }
        text.add(
            "wraps_opened_total",
            .counter,
            "Gift wraps that said something new.",
            each { Double($0.counters.opened) }
        )
        text.add(
            "unwrap_failures_total",
            .counter,
            "Gift wraps for others, forged, or not understood.",
            each { Double($0.counters.refused) }
        )
        text.add("wraps_known_total", .counter, "Gift wraps that were known by id.", each { Double($0.counters.known) })
        text.add("sent_total", .counter, "Statements that relays accepted.", each { Double($0.counters.sent) })
        text.add("send_failures_total", .counter, "Sendings that failed.", each { Double($0.counters.failedSendings) })
        text.add(
            "push_announced_total",
            .counter,
            "Posts and reactions that a push service was told.",
            each { Double($0.counters.announced) }
        )
        text.add(
            "push_failures_total",
            .counter,
            "Posts and reactions that no push service could be told.",
            each { Double($0.counters.failedAnnouncements) }
        )
        text.add("facts_waiting", .gauge, "Stored facts that count for nothing yet.", each { Double($0.waiting) })
        text.add(
            "acceptance_seconds",
            .gauge,
            "How long the last sending took until relays had accepted it.",
            each { $0.acceptanceTime?.fractionalSeconds }
        )
        text.add("subscribers", .gauge, "Who listens to an account's events.", each { Double($0.subscribers) })
        text.add(
            "database_bytes",
            .gauge,
            "The size of an account's database.",
            all.map { ([("account", $0.account.hex)], Double(size($0.account))) }
        )
        addRelays(all.map { ($0.account.hex, $0.status.relays) }, &text)
    }

    private func size(_ account: Bytes32) -> Int64 {
        let path = keeper.home.database(account)
        return ProcessFigures.size(ofFile: path) + ProcessFigures.size(ofFile: path + "-wal")
    }

    private func addRelays(_ all: [(account: String, relays: [RelayReport])], _ text: inout PrometheusText) {
        func each(_ value: (RelayReport) -> Double?) -> [(labels: [(String, String)], Double)] {
            all.flatMap { account, relays in
                relays.compactMap { relay in
                    value(relay).map { ([("account", account), ("relay", relay.url.text)], $0) }
                }
            }
        }
        func counter(_ name: String, _ help: String, _ value: @escaping (RelayStatistics) -> Int) {
            text.add(name, .counter, help, each { $0.statistics.map { Double(value($0)) } })
        }
        text.add("relay_connected", .gauge, "Whether a relay is connected.", each { $0.state.isOpen ? 1 : 0 })
        counter("relay_connections_total", "Connections that were made.") { $0.connections }
        counter("relay_failed_attempts_total", "Connections that could not be made.") { $0.failedAttempts }
        counter("relay_messages_total", "Messages of a relay.") { $0.messages }
        counter("relay_events_total", "Events that were verified.") { $0.events }
        counter("relay_duplicates_total", "Events that were known by id.") { $0.duplicates }
        counter("relay_verify_failures_total", "Events whose id, signature or form is false.") { $0.invalid }
        counter("relay_malformed_total", "Messages that are none.") { $0.malformed }
        text.add(
            "relay_acceptance_seconds",
            .gauge,
            "How long a relay last took to confirm an event.",
            each { $0.acceptanceTime?.fractionalSeconds }
        )
    }

    private func add(_ embedded: EmbeddedRelay, _ text: inout PrometheusText) async {
        let metrics = embedded.relay.metrics
        func counter(_ name: String, _ help: String, _ value: Int) {
            text.add("embedded_relay_\(name)_total", .counter, help, value)
        }
        text.add("embedded_relay_connections", .gauge, "Connections to the embedded relay.", metrics.connections)
        text.add("embedded_relay_subscriptions", .gauge, "Subscriptions of its clients.", metrics.subscriptions)
        counter("connections_opened", "Connections so far.", metrics.connectionsOpened)
        counter("connections_refused", "Connections that were refused.", metrics.connectionsRefused)
        counter("slow_readers_dropped", "Clients that did not read.", metrics.slowReadersDropped)
        text.add("embedded_relay_unread_bytes", .gauge, "Bytes that wait for slow readers.", metrics.unreadBytes)
        counter("messages", "Messages of clients.", metrics.messages)
        counter("malformed_messages", "Messages that are none.", metrics.malformedMessages)
        counter("events", "Events that came in.", metrics.events)
        counter("events_stored", "Events that were stored.", metrics.eventsStored)
        counter("events_duplicate", "Events that were there already.", metrics.eventsDuplicate)
        counter("events_refused", "Events that were refused.", metrics.eventsRefused)
        counter("events_sent", "Events that were sent.", metrics.storedEventsSent + metrics.liveEventsSent)
        counter("queries", "Queries.", metrics.queries)
        if let statistics = try? await embedded.store.statistics() {
            text.add("embedded_relay_stored_events", .gauge, "Events in its database.", statistics.events)
            text.add("embedded_relay_database_bytes", .gauge, "The size of its database.", statistics.bytes)
        }
    }
}

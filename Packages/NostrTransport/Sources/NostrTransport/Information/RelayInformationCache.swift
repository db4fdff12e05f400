public import NostrEvents
public import Sockets

/// Fetches what relays say of themselves over HTTP (NIP-11), and remembers it for a while. Bounded; failures are
/// remembered too, but for a shorter time.
public actor RelayInformationCache {
    /// The cache of the process.
    public static let shared = RelayInformationCache()

    private struct Entry {
        let result: Result<RelayInformation, TransportError>
        let time: ContinuousClock.Instant
    }

    private let lifetime: Duration
    private let failureLifetime: Duration
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private var entries: [RelayURL: Entry] = [:]
    private var running: [RelayURL: Task<Result<RelayInformation, TransportError>, Never>] = [:]

    /// - Parameters:
    ///   - lifetime: how long an answer is remembered.
    ///   - failureLifetime: how long a failure is.
    ///   - capacity: relays that are remembered.
    ///   - now: the clock.
    public init(
        lifetime: Duration = .seconds(3_600),
        failureLifetime: Duration = .seconds(60),
        capacity: Int = 1_024,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// A relay's information, fetched or remembered. Calls for one relay at one time share a request.
    ///
    /// - Throws: ``TransportError/information(_:)``, ``TransportError/noInformation(status:)``,
    ///   ``TransportError/badAnswer``.
    public func information(
        of relay: RelayURL,
        through connector: Connector = Connector()
    ) async throws(TransportError) -> RelayInformation {
        if let entry = entries[relay] {
            let lifetime = if case .success = entry.result { self.lifetime } else { failureLifetime }
            if now() - entry.time < lifetime { return try entry.result.get() }
        }
        if let task = running[relay] { return try await task.value.get() }
        let task = Task { await Self.fetch(relay, connector) }
        running[relay] = task
        let result = await task.value
        running[relay] = nil
        if entries.count >= capacity, entries[relay] == nil,
            let oldest = entries.min(by: { $0.value.time < $1.value.time })
        {
            entries[oldest.key] = nil
        }
        entries[relay] = Entry(result: result, time: now())
        return try result.get()
    }

    /// Fetches without the cache.
    public static func fetch(
        _ relay: RelayURL,
        _ connector: Connector = Connector()
    ) async -> Result<RelayInformation, TransportError> {
        var client = HTTPClient()
        client.connector = connector
        client.bodyLimit = 256 << 10
        client.inflatedLimit = 1 << 20
        let response: HTTPResponse
        do throws(SocketsError) {
            let url = try HTTPURL((relay.isSecure ? "https" : "http") + relay.text.dropFirst(relay.isSecure ? 3 : 2))
            response = try await client.get(url, accept: "application/nostr+json")
        } catch {
            return .failure(.information(error))
        }
        guard response.status == 200 else { return .failure(.noInformation(status: response.status)) }
        do throws(EventError) {
            return .success(try RelayInformation(json: response.body))
        } catch {
            return .failure(.badAnswer)
        }
    }
}

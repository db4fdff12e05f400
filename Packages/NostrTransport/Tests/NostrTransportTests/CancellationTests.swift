import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Over real sockets: whoever stops leaves nothing open.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CancellationTests {
    let filter = Filter(kinds: [.textNote])

    private func onSockets(_ body: (RelayPool, ScriptedRelay, RelayURL) async throws -> Void) async throws {
        let loop = try EventLoop()
        let relay = ScriptedRelay(on: loop, events: Sample.notes(50))
        let url = try await relay.listen()
        var options = TransportOptions()
        options.information = nil
        let pool = try RelayPool(options: options, group: EventLoopGroup(loop))
        try await body(pool, relay, url)
        await pool.shutDown()
        await relay.until { $0.openConnections == 0 }
        await relay.stopListening()
    }

    @Test func shuttingDownClosesEverySocket() async throws {
        try await onSockets { pool, relay, url in
            let subscription = pool.subscribe([filter], to: [url])
            var reader = Reader(subscription)
            await reader.read { !$0.pages.isEmpty }
            #expect(await relay.openConnections == 1)
            await pool.shutDown()
            await relay.until { $0.openConnections == 0 }
            await reader.readToEnd()
            #expect(reader.told.closures == [.stopped])
        }
    }

    @Test func aCancelledFetchSendsCloseAndReturns() async throws {
        try await onSockets { pool, relay, url in
            await relay.follow { _, _, _ in [] }
            let task = Task { await pool.fetch([filter], from: [url]) }
            await relay.until { !$0.received.isEmpty }
            task.cancel()
            #expect(await task.value.failures == [url: .cancelled])
            await relay.until { $0.received.contains { if case .close = $0 { true } else { false } } }
        }
    }

    @Test func aCancelledPublishReturnsWhatIsKnown() async throws {
        try await onSockets { pool, relay, url in
            await relay.follow { _, _, _ in [] }
            let note = Sample.notes(1)[0]
            let task = Task { await pool.publish(note, to: [url]) }
            await relay.until { !$0.received.isEmpty }
            task.cancel()
            #expect(await task.value[note.id][url] == .unconfirmed(notice: nil))
        }
    }

    @Test func aCancelledCountReturns() async throws {
        try await onSockets { pool, relay, url in
            await relay.follow { _, _, _ in [] }
            let task = Task { await Result<EventCount, TransportError> { try await pool.add(url).count([filter]) } }
            await relay.until { !$0.received.isEmpty }
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
        }
    }

    @Test func aDroppedSubscriptionIsClosedOnTheRelay() async throws {
        try await onSockets { pool, relay, url in
            do {
                var reader = Reader(pool.subscribe([filter], to: [url]))
                await reader.read { !$0.pages.isEmpty }
            }
            await relay.until { $0.received.contains { if case .close = $0 { true } else { false } } }
        }
    }

    @Test func nothingIsLeftOpenAfterManyPools() async throws {
        var ports: Set<UInt16> = []
        for _ in 0..<10 {
            try await onSockets { pool, relay, url in
                ports.insert(url.port)
                _ = await pool.fetch([filter], from: [url])
                var reader = Reader(pool.subscribe([filter], to: [url]))
                await reader.read { !$0.pages.isEmpty }
                #expect(Self.sockets(at: [url.port]) == 3)
                await relay.dropAll()
                let task = Task { await pool.publish(Sample.notes(3), to: [url]) }
                task.cancel()
                _ = await task.value
            }
        }
        var turns = 0
        while Self.sockets(at: ports) > 0, turns < 10_000 {
            turns += 1
            await Task.yield()
        }
        #expect(Self.sockets(at: ports) == 0)
    }

    /// The sockets of this process that have one of the ports at one end: a listener and both ends of each connection.
    private static func sockets(at ports: Set<UInt16>) -> Int {
        (0..<Int32(1_024)).count { descriptor in
            var address = sockaddr_in()
            return [getsockname, getpeername].contains { call in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
                }
                return result == 0 && address.sin_family == sa_family_t(AF_INET)
                    && ports.contains(UInt16(bigEndian: address.sin_port))
            }
        }
    }
}

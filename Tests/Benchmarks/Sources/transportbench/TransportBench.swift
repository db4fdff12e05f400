import FaultyRelay
import Foundation
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import WebSocket

/// Measures the relay client over the loopback: `transportbench [EVENTS]`, 10,000 by default. The relay is a script in
/// this process that sends prepared messages, so its processor time counts against the client.
@main
enum TransportBench {
    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        let cores = ProcessInfo.processInfo.activeProcessorCount
        try await measureIdleConnections()
        print("preparing \(count) events by as many authors")
        let events = prepare(count)
        let floor = verifyFloor(events.prefix(2_000))
        report("verify floor, one core", floor * 1e6, "us/event")
        try await measureLane(events, floor, cores)
        try await measureReceiving(events, floor, cores)
        try await measureFirstEvent(events)
    }

    private static func report(_ name: String, _ value: Double, _ unit: String, _ target: String = "") {
        print(String(format: "%-58@ %10.3f %-12@ %@", name as NSString, value, unit as NSString, target as NSString))
    }

    /// Processor time of this process, seconds: what a busy machine does not falsify.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let begun = processorTime()
        try body()
        return processorTime() - begun
    }

    private static func prepare(_ count: Int) -> [Event] {
        (0..<count).map { index in
            Event(
                kind: .textNote,
                content: "a note of ordinary length, number \(index), " + String(repeating: "with words ", count: 6),
                createdAt: 1_700_000_000 + Int64(index),
                signedBy: KeyPair.generate()
            )
        }
    }

    /// Hash, key and signature, called directly.
    private static func verifyFloor(_ events: ArraySlice<Event>) -> Double {
        let parts = events.map {
            (
                $0.wire.pubkey, $0.signature,
                Rumor(pubkey: $0.pubkey, kind: $0.kind, content: $0.content, createdAt: $0.createdAt).canonicalBytes
            )
        }
        return (0..<3).map { _ in
            seconds {
                for (pubkey, signature, bytes) in parts {
                    let digest = SHA256.hash(bytes)
                    precondition((try? PublicKey(pubkey))?.verify(signature, digest: digest) == true)
                }
            } / Double(parts.count)
        }.min() ?? 0
    }

    /// Ordered verification alone: batches of 64 messages, as a socket would bring them.
    private static func measureLane(_ events: [Event], _ floor: Double, _ cores: Int) async throws {
        let name = try SubscriptionID("1")
        let messages = events.map { RelayMessage.event(name, $0.wire).json }
        let rule = MatchRule(filters: [Filter()], seen: SeenEvents(capacity: 1), limits: .standard)
        let keys = PublicKeyCache(capacity: 1)
        let serial =
            seconds {
                for message in messages.prefix(2_000) { _ = rule.check(message, keys: keys) }
            } / 2_000
        var walls: [Double] = []
        var works: [Double] = []
        for _ in 0..<3 {
            let (begun, used) = (ContinuousClock.now, processorTime())
            await runLane(messages, rule, keys, cores)
            walls.append((ContinuousClock.now - begun) / .seconds(1) / Double(messages.count))
            works.append((processorTime() - used) / Double(messages.count))
        }
        report("parse, match and verify, one core", serial * 1e6, "us/event")
        let wall = serial / (walls.min() ?? 1) / Double(cores)
        report("ordered parallel verification, batches of 64", wall, "of cores", "target 0.97 on an idle machine")
        report("  the same by processor time", serial / (works.min() ?? 1), "of serial")
    }

    private static func runLane(_ messages: [[UInt8]], _ rule: MatchRule, _ keys: PublicKeyCache, _ cores: Int) async {
        var lane = VerificationLane(cores: cores)
        var fed = 0
        var released = 0
        await withTaskGroup(of: (Int, [LaneOutput]).self) { group in
            while released < messages.count {
                while fed < messages.count, fed - released < 1_024 {
                    for message in messages[fed..<min(fed + 64, messages.count)] {
                        lane.append(.message(message, rule, request: 1))
                    }
                    fed = min(fed + 64, messages.count)
                }
                while let chunk = lane.nextChunk() { group.addTask { (chunk.number, chunk.check(keys: keys)) } }
                guard let (number, outputs) = await group.next() else { return }
                lane.finish(number, outputs)
                while let outputs = lane.release() { released += outputs.count }
            }
        }
    }

    private static func measureReceiving(_ events: [Event], _ floor: Double, _ cores: Int) async throws {
        let relay = ScriptedRelay(on: try EventLoop())
        let name = try SubscriptionID("bench-1")
        let prepared = Prepared(events.map { .text(RelayMessage.event(name, $0.wire).json) })
        let again = Prepared(events.map { .text(RelayMessage.event(try! SubscriptionID("bench-2"), $0.wire).json) })
        await relay.follow { relay, session, message in
            guard case .request(let asked, _) = message else { return [] }
            let messages = asked == name ? prepared : again
            return messages.actions + [.send(.endOfStoredEvents(asked, []))]
        }
        let url = try await relay.listen()
        var options = TransportOptions()
        options.information = nil
        // Deflating would be the relay's work more than the client's.
        options.webSocket.compressionOffer = nil
        let pool = try RelayPool(
            options: options,
            group: EventLoopGroup(try EventLoop()),
            keys: PublicKeyCache(capacity: 1)
        )
        var subscription = SubscriptionOptions.stored
        subscription.name = "bench-"
        subscription.seen = SeenEvents(capacity: events.count)
        for (row, target) in [("receive path, socket to verified event", 0.9), ("duplicates", 0)] {
            let stream = pool.subscribe([Filter()], to: [url], options: subscription)
            let (begun, used) = (ContinuousClock.now, processorTime())
            var received = 0
            var page = StoredPage()
            while let updates = await stream.nextBatch() {
                for update in updates {
                    if case .event = update { received += 1 }
                    if case .endOfStoredEvents(_, let ended) = update { page = ended }
                }
            }
            let time = (ContinuousClock.now - begun) / .seconds(1) / Double(events.count)
            let work = (processorTime() - used) / Double(events.count)
            precondition(page.valid == events.count && received == (target > 0 ? events.count : 0))
            if target > 0 {
                report(row, floor / Double(cores) / time, "of floor x cores", "target 0.9 on an idle machine")
                report("  the same by processor time, the relay's included", floor / work, "of floor")
            } else {
                report(row, time * 1e6, "us/frame", "target 1.5 on an idle machine")
                report("  processor time, the relay's included", work * 1e6, "us/frame")
            }
        }
        await pool.shutDown()
        await relay.stopListening()
    }

    private static func measureFirstEvent(_ events: [Event]) async throws {
        let relay = ScriptedRelay(on: try EventLoop(), events: Array(events.prefix(100)))
        let url = try await relay.listen()
        var options = TransportOptions()
        options.information = nil
        let pool = try RelayPool(options: options)
        _ = await pool.fetch([Filter(limit: 1)], from: [url])
        var times: [Double] = []
        for _ in 0..<200 {
            let begun = ContinuousClock.now
            let stream = pool.subscribe([Filter(limit: 1)], to: [url], options: .stored)
            while let updates = await stream.nextBatch() {
                if updates.contains(where: { if case .event = $0 { true } else { false } }) {
                    times.append((ContinuousClock.now - begun) / .milliseconds(1))
                    break
                }
            }
            stream.close()
        }
        times.sort()
        report("request to first event, median", times[times.count / 2], "ms", "target 1")
        await pool.shutDown()
        await relay.stopListening()
    }

    private static func measureIdleConnections() async throws {
        let relay = ScriptedRelay(on: try EventLoop())
        let base = try await relay.listen()
        var options = TransportOptions()
        options.information = nil
        let pool = try RelayPool(options: options)
        _ = await pool.fetch([Filter()], from: [base])
        let before = residentBytes()
        for index in 1...100 {
            _ = await pool.fetch([Filter(limit: 1)], from: [try RelayURL(base.text + "/\(index)")])
        }
        report("100 idle connections, both ends", Double(residentBytes() - before) / 1e6, "MB", "target 15, one end")
        await pool.shutDown()
        await relay.stopListening()
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }
}

/// Messages that are ready to be sent.
private final class Prepared: Sendable {
    let actions: [Action]

    init(_ actions: [Action]) {
        self.actions = actions
    }
}

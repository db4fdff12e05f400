import Dispatch
import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import WebSocket

extension FuzzTarget {
    static let transport: [FuzzTarget] = [
        // Lines are what a relay sends in answer to a request, in which "s" stands for the request's name. Whatever they
        // are, the request ends, and the next one on the same pool is answered.
        FuzzTarget(name: "relay-dispatch") { bytes in
            let rig = DispatchRig.shared
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(64)
            let outcome = rig.run(lines.map(Array.init))
            precondition(outcome.events <= lines.count, "more events than were sent")
            precondition(outcome.isAlive, "an honest answer does not arrive any more")
        }
    ]
}

/// A pool and a relay in memory that are kept from input to input.
///
/// `@unchecked Sendable`: nothing changes after `init`.
private final class DispatchRig: @unchecked Sendable {
    static let shared = DispatchRig()

    private let relay: ScriptedRelay
    private let pool: RelayPool
    private let url: RelayURL

    private init() {
        guard let loop = try? EventLoop(), let url = try? RelayURL("ws://fuzz.example") else {
            preconditionFailure("no event loop")
        }
        let relay = ScriptedRelay(on: loop)
        var options = TransportOptions()
        options.information = nil
        options.backoff.first = .milliseconds(1)
        options.backoff.longest = .milliseconds(1)
        options.stallTime = .milliseconds(200)
        options.noticeGrace = .milliseconds(20)
        options.open = { url, _ async throws(WebSocketError) in try await relay.connect(url) }
        guard let pool = try? RelayPool(options: options, group: EventLoopGroup(loop)) else {
            preconditionFailure("no pool")
        }
        self.pool = pool
        self.relay = relay
        self.url = url
    }

    func run(_ lines: [[UInt8]]) -> (events: Int, isAlive: Bool) {
        let done = DispatchSemaphore(value: 0)
        let box = Box()
        Task {
            await relay.follow { relay, session, message in
                guard case .request(let name, _) = message else { return [] }
                let answers = lines.map { Action.text(Self.naming(name, in: $0)) }
                return answers + [.send(.endOfStoredEvents(name, []))]
            }
            let fuzzed = await pool.fetch([Filter()], from: [url])
            await relay.follow { $0.honest($1, $2) }
            var control = false
            for _ in 0..<50 where !control {
                control = await pool.fetch([Filter()], from: [url]).isComplete
            }
            box.result = (fuzzed.events.count, control)
            done.signal()
        }
        done.wait()
        return box.result
    }

    private static func naming(_ name: SubscriptionID, in line: [UInt8]) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        return Array(text.replacing("\"s\"", with: "\"\(name.text)\"").utf8)
    }

    /// `@unchecked Sendable`: written before the semaphore is signalled and read after.
    private final class Box: @unchecked Sendable {
        var result = (events: 0, isAlive: false)
    }
}

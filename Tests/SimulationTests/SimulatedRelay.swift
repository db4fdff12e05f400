import FaultyRelay
import Locking
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import TestSupport
import WebSocket

/// A relay in memory that loses, delays, repeats and shuffles as its seed says, until it is told to be calm.
final class SimulatedRelay: Sendable {
    let url: RelayURL
    private let relay: ScriptedRelay
    private let state: Locked<State>

    private struct State {
        let seed: UInt64
        /// What was drawn in this step, and how often.
        var drawn: [String: UInt64] = [:]
        var isCalm = false
        var isDown = false
        var step = 0
        /// What it has taken and shows later.
        var held: [(step: Int, event: Event)] = []
        var faults = 0

        /// Numbers that depend on the seed, the step and what they are for, and not on what other threads draw meanwhile.
        mutating func random(_ purpose: String) -> SeededGenerator {
            let count = drawn[purpose, default: 0]
            drawn[purpose] = count + 1
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in "\(seed) \(step) \(purpose) \(count)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return SeededGenerator(seed: hash)
        }
    }

    /// What becomes of an event that is published.
    private enum Fate {
        case taken, doubled, held, refused, lost, lostInSilence, takenAndLost
    }

    /// What becomes of a request.
    private enum Answer {
        case honest, shuffled, cut, closed
    }

    /// How often something went wrong.
    var faults: Int { state.withLock { $0.faults } }

    init(_ number: Int, seed: UInt64, on loop: EventLoop) async throws {
        url = try RelayURL("ws://relay\(number).example")
        relay = ScriptedRelay(on: loop)
        let state = Locked(State(seed: seed))
        self.state = state
        await relay.follow { relay, session, message in Self.answer(relay, session, message, state) }
    }

    func connect(with client: WebSocketClient) async throws(WebSocketError) -> WebSocketConnection {
        guard !state.withLock({ $0.isDown }) else { throw .transport(.connectionRefused(url.text)) }
        return try await relay.connect(url, with: client)
    }

    /// The next step has come: some relays go down or come up again, and what was held for long enough is shown.
    func advance(to step: Int) async {
        let (due, goesDown) = state.withLock { state -> ([Event], Bool) in
            state.step = step
            state.drawn = [:]
            var random = state.random("down")
            let chance = Int.random(in: 0..<100, using: &random)
            let goesDown = !state.isDown && !state.isCalm && chance < 6
            if goesDown { state.faults += 1 }
            if state.isDown ? chance < 40 : goesDown { state.isDown.toggle() }
            defer { state.held.removeAll { $0.step <= step } }
            return (state.held.filter { $0.step <= step }.map(\.event), goesDown)
        }
        if goesDown { await relay.dropAll() }
        await relay.change { relay in for event in due { relay.store(event) } }
    }

    /// Nothing goes wrong any more, and nothing is held.
    func calm() async {
        state.withLock {
            $0.isCalm = true
            $0.isDown = false
        }
        await advance(to: .max)
    }

    private static func answer(
        _ relay: isolated ScriptedRelay,
        _ session: Session,
        _ message: ClientMessage,
        _ state: Locked<State>
    ) -> [Action] {
        switch message {
        case .event(let wire):
            let taken = Action.send(.ok(wire.id, accepted: true, .empty))
            let recipient = "event " + (wire.tags.firstValue(named: "p") ?? "")
            switch fate(recipient, state) {
            case .taken: return relay.honest(session, message)
            case .doubled: return relay.honest(session, message) + relay.honest(session, message)
            case .refused:
                return [.send(.ok(wire.id, accepted: false, StatusMessage(.error, "try again")))]
            case .lost: return [.drop]
            case .lostInSilence: return []
            case .takenAndLost:
                _ = relay.honest(session, message)
                return [.drop]
            case .held:
                guard let event = try? Event(verifying: wire) else { return relay.honest(session, message) }
                state.withLock { state in
                    var random = state.random("hold " + recipient)
                    let step = state.step + Int.random(in: 1...6, using: &random)
                    state.held.append((step, event))
                }
                return [taken]
            }
        case .request(let name, let filters):
            let honest = relay.honest(session, message)
            let asked = "request " + filters.map { Self.purpose(of: $0) }.joined(separator: " ")
            switch answer(asked, state) {
            case .honest: return honest
            case .shuffled: return shuffled(honest, asked, state)
            case .cut: return honest.prefix(honest.count / 2) + [.drop]
            case .closed: return [.send(.closed(name, StatusMessage(.error, "busy")))]
            }
        default: return relay.honest(session, message)
        }
    }

    /// Whose events of which kinds are asked for.
    private static func purpose(of filter: Filter) -> String {
        let kinds = (filter.kinds ?? []).map(\.rawValue).sorted()
        let people = (filter.authors ?? []).map(\.hex) + (filter.tags[.p] ?? [])
        return "\(kinds) \(people.sorted())"
    }

    private static func fate(_ purpose: String, _ state: Locked<State>) -> Fate {
        state.withLock { state in
            guard !state.isCalm else { return .taken }
            state.faults += 1
            var random = state.random(purpose)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<6: return .lost
            case 6..<10: return .takenAndLost
            case 10..<14: return .refused
            case 14..<15: return .lostInSilence
            case 15..<30: return .held
            case 30..<40: return .doubled
            default:
                state.faults -= 1
                return .taken
            }
        }
    }

    private static func answer(_ purpose: String, _ state: Locked<State>) -> Answer {
        state.withLock { state in
            guard !state.isCalm else { return .honest }
            state.faults += 1
            var random = state.random(purpose)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<3: return .cut
            case 3..<5: return .closed
            case 5..<30: return .shuffled
            default:
                state.faults -= 1
                return .honest
            }
        }
    }

    /// What comes before the end of stored events in another order, some of it twice.
    private static func shuffled(_ honest: [Action], _ purpose: String, _ state: Locked<State>) -> [Action] {
        var random = state.withLock { $0.random("shuffle " + purpose) }
        let events = honest.dropLast()
        let repeated = events.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }
        return (events + repeated).shuffled(using: &random) + honest.suffix(1)
    }
}

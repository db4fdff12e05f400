import FaultyRelay
import Locking
import NostrCrypto
import NostrEvents
import WebSocket

/// What one relay does wrong, and when.
final class Mischief: Sendable {
    private struct State {
        var isOn = false
        var done = 0
        var random: UInt64
    }

    private let state: Locked<State>
    private let oneIn: UInt64
    private let stranger = KeyPair.generate()

    /// - Parameter oneIn: of how many messages one meets a fault, on average.
    init(seed: UInt64, oneIn: UInt64) {
        state = Locked(State(random: seed))
        self.oneIn = oneIn
    }

    func turn(on isOn: Bool) { state.withLock { $0.isOn = isOn } }

    /// How many faults there were.
    var done: Int { state.withLock { $0.done } }

    /// The same numbers for the same seed (SplitMix64).
    private static func next(_ random: inout UInt64, below bound: UInt64) -> UInt64 {
        random &+= 0x9e37_79b9_7f4a_7c15
        var z = random
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return (z ^ (z >> 31)) % bound
    }

    /// Which fault a message meets; nil for most.
    private func fault() -> UInt64? {
        state.withLock { state in
            guard state.isOn, Self.next(&state.random, below: oneIn) == 0 else { return nil }
            state.done += 1
            return Self.next(&state.random, below: 13)
        }
    }

    func answer(_ relay: isolated ScriptedRelay, _ session: Session, _ message: ClientMessage) -> [Action] {
        guard let fault = fault() else { return relay.honest(session, message) }
        switch fault {
        case 0: return [.drop]
        // The event is stored, and nobody is told.
        case 1:
            _ = relay.honest(session, message)
            return [.drop]
        case 2: return [.halfClose]
        case 3: return relay.honest(session, message) + [.close(.goingAway, reason: "restarting")]
        case 4: return [.send(.notice("no")), .wait(.milliseconds(300))] + relay.honest(session, message)
        case 5: return [.text("{\"not\":\"a message\"")] + relay.honest(session, message)
        case 6: return [.wait(.seconds(2))] + relay.honest(session, message)
        case 7: return refuse(message, relay, session)
        // It never answers.
        case 8: return []
        case 9: return [.text("[\"EVENT\",\"nobody-asked\",{}]")] + relay.honest(session, message)
        case 10:
            let honest = relay.honest(session, message)
            return honest + honest
        case 11: return forge(message) + relay.honest(session, message)
        default: return [.stopReading]
        }
    }

    private func refuse(_ message: ClientMessage, _ relay: isolated ScriptedRelay, _ session: Session) -> [Action] {
        switch message {
        case .event(let wire): [.send(.ok(wire.id, accepted: false, StatusMessage(.error, "the disk is full")))]
        case .request(let name, _): [.send(.closed(name, StatusMessage(.error, "the database is busy")))]
        default: relay.honest(session, message)
        }
    }

    /// An event that matches nothing that was asked, and one whose signature is of another.
    private func forge(_ message: ClientMessage) -> [Action] {
        guard case .request(let name, _) = message else { return [] }
        let other = Event(kind: .textNote, content: "not asked for", createdAt: 1_700_000_000, signedBy: stranger)
        let text = String(decoding: other.json, as: UTF8.self)
        let forged = text.replacing("not asked for", with: "not signed")
        return [.send(.event(name, other.wire)), .text("[\"EVENT\",\"\(name.text)\",\(forged)]")]
    }
}

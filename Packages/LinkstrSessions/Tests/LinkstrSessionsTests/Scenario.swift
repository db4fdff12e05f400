import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

/// A numbered sentence of the protocol and what it asks of the owner's device.
struct Scenario: Sendable, CustomTestStringConvertible {
    let number: Int
    let sentence: String
    let check: @Sendable (Device) async throws -> Void

    init(_ number: Int, _ sentence: String, _ check: @escaping @Sendable (Device) async throws -> Void) {
        self.number = number
        self.sentence = sentence
        self.check = check
    }

    var testDescription: String { "\(number). \(sentence)" }
}

/// What a payload's JSON makes of an authenticated rumor, if anything.
func fact(_ json: String) -> Fact? {
    let parts = Fact.Parts(id: id("rumor"), pubkey: peer, time: 110, kind: Payload.kind, content: json)
    return try? Fact(parts, sender: peer, isOnCurve: { $0 != .zero })
}

let make = Maker()
let all = [creator, owner, peer]
let links = try! WebURL("https://example.com/a")

/// A plan of the owner's or the creator's.
func planner(_ key: Bytes32) -> OutgoingPlanner {
    OutgoingPlanner(owner: key, now: 1_000, isOnCurve: { _ in true })
}

extension EventID {
    /// An id that begins with these four bits.
    static func beginning(with digit: Character) -> EventID {
        try! EventID(hex: String(digit) + String(repeating: "0", count: 63))
    }
}

import CommandKit
import NostrContacts
import NostrCrypto
import NostrEvents

/// What the commands about follow lists read and print.
enum FollowListInput {
    /// A checked follow list.
    static func event(_ bytes: [UInt8]) throws -> Event {
        let event = try Event(json: bytes, limits: .local)
        guard event.kind == .followList else {
            throw CommandFailure(.badInput, "an event of kind \(event.kind) is no follow list")
        }
        return event
    }

    /// All follow lists of standard input, which are by one author.
    static func events(_ call: Invocation, atLeast count: Int) throws -> [Event] {
        var events: [Event] = []
        try LineStream(call, of: "follow lists as JSON lines").forEach { bytes in
            let event = try event(bytes)
            guard event.pubkey == events.first?.pubkey ?? event.pubkey else {
                throw CommandFailure(.badInput, "the list is by another author than the first one")
            }
            events.append(event)
        }
        guard events.count >= count else {
            throw CommandFailure(.badInput, count == 1 ? "a follow list is needed" : "\(count) follow lists are needed")
        }
        return events
    }

    static func json(_ follows: [Follow]) -> JSON {
        .array(
            follows.map {
                [
                    "pubkey": .string($0.key.hex), "relay": .string($0.relayHint), "petname": .string($0.petname),
                ]
            }
        )
    }

    static func json(_ tags: [Tag]) -> JSON {
        .array(tags.map { .array($0.elements.map(JSON.string)) })
    }
}

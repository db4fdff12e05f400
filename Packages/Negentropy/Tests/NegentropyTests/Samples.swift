import Negentropy
import NostrCrypto
import NostrEvents
import TestSupport

extension SeededGenerator {
    mutating func id() -> EventID {
        EventID(Bytes32(words: next(), next(), next(), next()))
    }
}

enum Samples {
    static func item(_ timestamp: UInt64, _ id: EventID) -> NegentropyItem {
        guard let item = try? NegentropyItem(timestamp: timestamp, id: id) else { preconditionFailure("reserved") }
        return item
    }

    /// `count` items, several of them at the same time.
    static func items(_ count: Int, perSecond: Int = 7, using random: inout SeededGenerator) -> [NegentropyItem] {
        (0..<count).map { item(1_700_000_000 + UInt64($0 / perSecond), random.id()) }
    }

    /// Two sets with what only the first and only the second has.
    static func pair(shared: Int, onlyFirst: Int, onlySecond: Int, perSecond: Int = 7, seed: UInt64) -> Pair {
        var random = SeededGenerator(seed: seed)
        let all = items(shared + onlyFirst + onlySecond, perSecond: perSecond, using: &random).shuffled(using: &random)
        let first = all.prefix(onlyFirst)
        let second = all.dropFirst(onlyFirst).prefix(onlySecond)
        let common = all.dropFirst(onlyFirst + onlySecond)
        return Pair(
            first: InMemoryNegentropySet(common + first),
            second: InMemoryNegentropySet(common + second),
            onlyFirst: first.map(\.id).sorted(),
            onlySecond: second.map(\.id).sorted()
        )
    }

    struct Pair {
        let first: InMemoryNegentropySet
        let second: InMemoryNegentropySet
        let onlyFirst: [EventID]
        let onlySecond: [EventID]
    }
}

/// A set that leaves everything it may to the defaults, as the simplest adapter of a database would.
struct PlainSet: NegentropySet {
    let items: [NegentropyItem]

    var count: Int { items.count }

    func item(at index: Int) -> NegentropyItem { items[index] }
}

/// What a whole conversation came to.
struct Conversation {
    var have: [EventID] = []
    var need: [EventID] = []
    var rounds = 0
    var bytesAsked = 0
    var bytesAnswered = 0
    var largestAsked = 0
    var largestAnswered = 0

    init<Mine: NegentropySet, Theirs: NegentropySet>(
        _ mine: Mine,
        with theirs: Theirs,
        clientLimit: Int? = nil,
        serverLimit: Int? = nil
    ) throws {
        let server = try NegentropyServer(theirs, frameSizeLimit: serverLimit)
        var client = try NegentropyClient(mine, frameSizeLimit: clientLimit)
        var next: [UInt8]? = client.openingMessage
        while let message = next {
            let answer = try server.respond(to: message)
            bytesAsked += message.count
            bytesAnswered += answer.count
            largestAsked = max(largestAsked, message.count)
            largestAnswered = max(largestAnswered, answer.count)
            let step = try client.receive(answer)
            have += step.have
            need += step.need
            next = step.next
        }
        rounds = client.rounds
    }
}

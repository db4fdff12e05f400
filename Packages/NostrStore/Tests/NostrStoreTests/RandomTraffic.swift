import NostrCrypto
import NostrEvents
import TestSupport

/// Random events and filters from so small a world that they meet all the time.
struct RandomTraffic {
    private var random: SeededGenerator
    private var seen: [Event] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private static let kinds: [Kind] = [
        0, 1, 1, 1, 3, 5, 5, 7, 1059, 1059, 10_002, 20_001, 21_059, 30_023, 30_023, 30_078, 40_000,
    ]
    private static let words = ["", "a", "b", "ä", "a\u{308}", "quo\"te", "line\nbreak"]
    private static let letters = ["e", "p", "t", "d", "a", "P"]

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func pick<T>(_ values: [T]) -> T? { values.randomElement(using: &random) }

    private mutating func time() -> Int64 { Int64(number(990...1_010)) }

    private mutating func tag() -> Tag {
        let letter = pick(Self.letters) ?? "t"
        return Tag(letter, value(letter))
    }

    private mutating func value(_ letter: String) -> String {
        switch letter {
        case "e": pick(seen)?.id.hex ?? String(repeating: "0", count: 64)
        case "p", "P": hex(number(0...3))
        case "a": "\(chance(50) ? 30_023 : 10_002):\(hex(number(0...3))):\(chance(50) ? "" : "a")"
        default: pick(Self.words) ?? ""
        }
    }

    /// An event, now and then one that was there before.
    mutating func event() -> Event {
        if chance(8), let old = pick(seen) { return old }
        let kind = chance(2) ? .requestToVanish : pick(Self.kinds) ?? .textNote
        var tags: [Tag] = []
        if kind == .requestToVanish { tags.append(Tag("relay", chance(70) ? "ALL_RELAYS" : "wss://other.example")) }
        if kind == .deletion {
            for _ in 0..<number(1...3) {
                let letter = chance(60) ? "e" : "a"
                tags.append(Tag(letter, value(letter)))
            }
        }
        for _ in 0..<number(0...3) { tags.append(tag()) }
        if chance(15) { tags.append(Tag("expiration", String(time()))) }
        if chance(5) { tags.append(Tag("t")) }
        let event = NostrStoreTests.event(kind, by: number(0...3), at: time(), pick(Self.words) ?? "", tags: tags)
        seen.append(event)
        return event
    }

    mutating func filters() -> [Filter] {
        (0..<(chance(75) ? 1 : number(2...3))).map { _ in filter() }
    }

    private mutating func filter() -> Filter {
        var filter = Filter()
        if chance(12) { filter.ids = Set((0..<number(0...4)).compactMap { _ in pick(seen)?.id }) }
        if chance(35) { filter.authors = Set((0..<number(0...3)).map { _ in key(number(0...4)) }) }
        if chance(40) { filter.kinds = Set((0..<number(0...6)).compactMap { _ in pick(Self.kinds) }) }
        for _ in 0..<(chance(50) ? number(1...2) : 0) {
            let letter = pick(Self.letters) ?? "t"
            guard let name = TagLetter(letter) else { continue }
            filter.tags[name] = TagValues((0..<number(1...3)).map { _ in value(letter) })
        }
        if chance(20) { filter.since = time() }
        if chance(20) { filter.until = time() }
        if chance(30) { filter.limit = number(0...8) }
        return filter
    }
}

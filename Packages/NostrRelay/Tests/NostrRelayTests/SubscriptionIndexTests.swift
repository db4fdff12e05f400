import NostrCrypto
import NostrEvents
import Testing

@testable import NostrRelay

@Suite struct SubscriptionIndexTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) ^ (state << 31)
        }
    }

    @Test(arguments: 1...4) func itFindsWhatAScanOfAllFiltersFinds(seed: UInt64) {
        var random = Generator(state: seed)
        let keys = (0..<4).map { _ in KeyPair.generate() }
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        let events = (0..<200).map { index in
            let tags = (0..<number(0..<4)).map { _ in Tag(["e", "p", "t", "long"][number(0..<4)], "\(number(0..<5))") }
            return note(
                "\(index)",
                by: keys[number(0..<4)],
                kind: Kind(rawValue: UInt16(number(0..<4))),
                tags: tags,
                at: Int64(number(0..<50))
            )
        }
        func filter() -> Filter {
            var filter = Filter()
            if number(0..<4) == 0 { filter.ids = Set((0..<number(0..<4)).map { _ in events[number(0..<200)].id }) }
            if number(0..<3) == 0 {
                filter.authors = Set((0..<number(0..<3)).map { _ in keys[number(0..<4)].publicKey.bytes })
            }
            if number(0..<2) == 0 {
                filter.kinds = Set((0..<number(0..<3)).map { _ in Kind(rawValue: UInt16(number(0..<4))) })
            }
            for letter in [TagLetter.e, .p, .t] where number(0..<4) == 0 {
                filter.tags[letter] = TagValues((0..<number(0..<4)).map { _ in "\(number(0..<5))" })
            }
            if number(0..<5) == 0 { filter.since = Int64(number(0..<50)) }
            return filter
        }
        var index = SubscriptionIndex<Int>()
        var model: [Int: (name: Int, filters: [Filter])] = [:]
        var wrong: [String] = []
        for turn in 0..<2_000 {
            if model.count < 20 || number(0..<2) == 0 {
                let filters = (0..<number(1..<4)).map { _ in filter() }
                model[index.insert(filters, turn)] = (turn, filters)
            } else if let slot = model.keys.sorted().randomElement(using: &random) {
                index.remove(slot)
                model[slot] = nil
            }
            let event = events[number(0..<200)]
            let expected = model.values.filter { $0.filters.match(event) }.map(\.name).sorted()
            let found = index.targets(of: event).sorted()
            if found != expected { wrong.append("turn \(turn): \(found) instead of \(expected)") }
        }
        #expect(wrong == [])
        #expect(index.count == model.count)
        for slot in model.keys { index.remove(slot) }
        #expect(index.count == 0)
        #expect(index.isEmpty)
    }

    @Test func aFilterThatSearchesWaitsForNothingNew() {
        var index = SubscriptionIndex<Int>()
        _ = index.insert([Filter(search: "x")], 1)
        _ = index.insert([Filter()], 2)
        #expect(index.targets(of: note("x", by: .generate())) == [2])
    }
}

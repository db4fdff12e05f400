import NostrCrypto
import NostrEvents
import NostrTransport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SplittingTests {
    private static func bytes(_ number: UInt64, _ random: inout SeededGenerator) -> Bytes32 {
        try! Bytes32((0..<32).map { $0 == 0 ? UInt8(number & 0xff) : UInt8.random(in: 0...255, using: &random) })
    }

    private static let topics = (0..<60).map { "t\($0)" }

    @Test(arguments: 0..<40)
    func thePartsFitAndTogetherMatchWhatTheRequestDoes(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let authors = (0..<20).map { try! KeyPair(SecretKey(bytes: [UInt8](repeating: UInt8($0 + 1), count: 32))) }
        let events = (0..<60).map { number in
            Event(
                kind: number.isMultiple(of: 3) ? .reaction : .textNote,
                content: "\(number)",
                tags: [Tag("t", Self.topics.randomElement(using: &random) ?? ""), Tag("t", "t\(number)")],
                createdAt: Int64(number),
                signedBy: authors.randomElement(using: &random) ?? authors[0]
            )
        }
        let filters = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            var filter = Filter()
            if Bool.random(using: &random) {
                let known = authors.shuffled(using: &random).prefix(5).map(\.publicKey.bytes)
                filter.authors = Set(known + (0..<30).map { Self.bytes($0, &random) })
            }
            if Bool.random(using: &random) {
                let known = events.shuffled(using: &random).prefix(30).map(\.id)
                filter.ids = Set(known + (0..<10).map { EventID(Self.bytes($0, &random)) })
            }
            if Bool.random(using: &random) {
                filter.tags[.t] = TagValues(Self.topics.shuffled(using: &random).prefix(40))
            }
            if Bool.random(using: &random) { filter.kinds = [.textNote] }
            if Bool.random(using: &random) { filter.limit = Int.random(in: 1...50, using: &random) }
            return filter
        }
        let (most, size) = (Int.random(in: 1...3, using: &random), Int.random(in: 1_200...6_000, using: &random))
        let parts = try #require(RequestSplitter.parts(of: filters, filtersPerPart: most, bytesPerPart: size))
        let name = try SubscriptionID("x")
        let empty = ClientMessage.request(name, []).json.count
        #expect(parts.allSatisfy { ClientMessage.request(name, $0.filters).json.count <= empty + size })
        #expect(parts.allSatisfy { $0.filters.count <= most && !$0.filters.isEmpty })
        #expect(parts.allSatisfy { part in part.pieceOf.map { filters[$0].limit == part.filters[0].limit } ?? true })
        let together = parts.flatMap(\.filters)
        #expect(events.filter { together.match($0) } == events.filter { filters.match($0) })
        // Control: what fits stays whole.
        let whole = RequestSplitter.parts(of: filters, filtersPerPart: .max, bytesPerPart: .max)
        #expect(whole?.map(\.filters) == [filters])
    }

    @Test func whatHasNothingToCutOrNeedsTooManyPartsIsNotCut() throws {
        let long = Filter(tags: [.t: [String(repeating: "x", count: 400)]], search: "y")
        #expect(RequestSplitter.parts(of: [long], filtersPerPart: 10, bytesPerPart: 300) == nil)
        var random = SeededGenerator(seed: 1)
        let many = Filter(authors: Set((0..<2_000).map { Self.bytes($0, &random) }))
        #expect(RequestSplitter.parts(of: [many], filtersPerPart: 10, bytesPerPart: 300) == nil)
        #expect(try #require(RequestSplitter.parts(of: [many], filtersPerPart: 10, bytesPerPart: 4_000)).count >= 34)
        let filters = [Filter](repeating: Filter(kinds: [.textNote]), count: 300)
        #expect(RequestSplitter.parts(of: filters, filtersPerPart: 1, bytesPerPart: 300) == nil)
        #expect(RequestSplitter.parts(of: filters, filtersPerPart: 2, bytesPerPart: 300)?.count == 150)
        #expect(RequestSplitter.parts(of: [], filtersPerPart: 2, bytesPerPart: 300)?.map(\.filters) == [[]])
    }

    // MARK: What is kept until all pieces have come

    private static func page(_ times: [Int64], _ hints: EndOfStoredEventsHints = []) -> StoredPage {
        var page = StoredPage()
        (page.received, page.valid, page.oldest, page.newest) = (times.count, times.count, times.min(), times.max())
        page.hints = hints
        return page
    }

    private static func hold(_ limit: Int, bytes: Int = 1 << 20, _ events: [Event]) -> StoredHold {
        var hold = StoredHold(limit: limit, bytesLimit: bytes)
        for event in events { hold.add(event.id, createdAt: event.createdAt, event: event, bytes: 100) }
        return hold
    }

    @Test func theNewestOfAllPiecesAreKeptInTheOrderOfARelay() {
        let notes = Sample.notes(200, start: 1)
        var hold = Self.hold(50, notes.shuffled() + notes.shuffled())
        hold.pieceEnded(Self.page((1...200).map { $0 }, .finish), relayLimit: nil)
        let (events, page) = hold.release()
        #expect(events.map(\.event) == notes.suffix(50).reversed())
        #expect(page.oldest == 151 && page.newest == 200 && page.valid == 50 && page.hints == .more)
        var all = Self.hold(500, notes)
        all.pieceEnded(Self.page((1...200).map { $0 }, .finish), relayLimit: nil)
        #expect(all.release().page.hints == .finish)
    }

    @Test func eventsThatAreKnownCountTowardsTheLimit() {
        let notes = Sample.notes(10, start: 1)
        var hold = Self.hold(4, Array(notes.prefix(8)))
        for event in notes.suffix(2) { hold.add(event.id, createdAt: event.createdAt, event: nil, bytes: 0) }
        let (events, page) = hold.release()
        #expect(events.map(\.event) == [notes[7], notes[6]])
        #expect(page.valid == 4 && page.oldest == 7)
    }

    @Test func nothingOlderThanACutPieceLeavesAGap() {
        let notes = Sample.notes(20, start: 1)
        var hold = Self.hold(15, notes)
        // The relay gives ten at most, so of this piece there may be more that is older than 11.
        hold.pieceEnded(Self.page((11...20).map { $0 }), relayLimit: 10)
        hold.pieceEnded(Self.page([1, 2, 3]), relayLimit: 10)
        let (events, page) = hold.release()
        #expect(events.map(\.event.createdAt) == (11...20).reversed().map { $0 })
        #expect(page.hints == .more)
        var told = Self.hold(15, notes)
        told.pieceEnded(Self.page((11...20).map { $0 }, .finish), relayLimit: 10)
        told.pieceEnded(Self.page([1, 2, 3], .finish), relayLimit: 10)
        #expect(told.release().events.count == 15)
    }

    @Test func memoryIsBoundedWhateverTheLimitAndTheRelay() {
        let notes = Sample.notes(300, start: 1)
        var hold = Self.hold(.max, bytes: 10_000, notes)
        let (events, page) = hold.release()
        #expect(events.count <= 100 && events.count >= 50 && page.hints == .more)
        #expect(events.map(\.event) == notes.suffix(events.count).reversed())
        #expect(StoredHold.greatestLimit == 10_000)
    }
}

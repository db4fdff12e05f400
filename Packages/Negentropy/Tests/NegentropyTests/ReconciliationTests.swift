import Negentropy
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

@Suite struct ReconciliationTests {
    @Test(arguments: [nil, NegentropyFrame.minimumSize, 300, 1_000, 4_096, 65_536] as [Int?])
    func randomPairsOfSetsEndWithExactlyTheDifference(limit: Int?) throws {
        var failures: [String] = []
        for seed in UInt64(0)..<40 {
            var random = SeededGenerator(seed: seed)
            let scale = [0, 1, 5, 40, 300, 1_500][Int(random.next() % 6)]
            let pair = Samples.pair(
                shared: Int.random(in: 0...scale, using: &random),
                onlyFirst: Int.random(in: 0...max(1, scale / 3), using: &random),
                onlySecond: Int.random(in: 0...max(1, scale / 5), using: &random),
                perSecond: [1, 7, 10_000][Int(random.next() % 3)],
                seed: seed
            )
            // The other side's limit is another one, so that each is the bottleneck at times.
            let other = [limit, nil, NegentropyFrame.minimumSize][Int(random.next() % 3)]
            for (clientLimit, serverLimit) in [(limit, other), (other, limit)] {
                let found = try Conversation(
                    pair.first,
                    with: pair.second,
                    clientLimit: clientLimit,
                    serverLimit: serverLimit
                )
                if found.have.sorted() != pair.onlyFirst { failures.append("seed \(seed): have") }
                if found.need.sorted() != pair.onlySecond { failures.append("seed \(seed): need") }
                if found.largestAsked > clientLimit ?? .max { failures.append("seed \(seed): asked too much at once") }
                if found.largestAnswered > serverLimit ?? .max { failures.append("seed \(seed): answered too much") }
            }
        }
        #expect(failures == [])
    }

    @Test func equalSetsNeedOneRound() throws {
        let pair = Samples.pair(shared: 5_000, onlyFirst: 0, onlySecond: 0, seed: 1)
        let found = try Conversation(pair.first, with: pair.second)
        #expect(found.rounds == 1)
        #expect(found.have.isEmpty && found.need.isEmpty)
        #expect(found.bytesAnswered == 1)
    }

    @Test func oneMissingAmongThousandsCostsFewBytes() throws {
        let pair = Samples.pair(shared: 20_000, onlyFirst: 0, onlySecond: 1, seed: 2)
        let found = try Conversation(pair.first, with: pair.second)
        #expect(found.need == pair.onlySecond)
        #expect(found.rounds <= 4)
        #expect(found.bytesAsked + found.bytesAnswered < 5_000)
    }

    @Test func anEmptySetLearnsEverything() throws {
        let pair = Samples.pair(shared: 0, onlyFirst: 0, onlySecond: 3_000, seed: 3)
        let found = try Conversation(pair.first, with: pair.second, serverLimit: 4_096)
        #expect(found.need.sorted() == pair.onlySecond)
        let opposite = try Conversation(pair.second, with: pair.first, clientLimit: 4_096)
        #expect(opposite.have.sorted() == pair.onlySecond)
    }

    @Test func idsThatShareLongPrefixesAtTheSameTimeAreKeptApart() throws {
        let items = (0..<200).map { index in
            Samples.item(5, EventID(Bytes32(words: 1, 2, 3, UInt64(index).bigEndian)))
        }
        let found = try Conversation(
            InMemoryNegentropySet(items.filter { $0.id != items[77].id }),
            with: InMemoryNegentropySet(items.filter { $0.id != items[150].id }),
            clientLimit: NegentropyFrame.minimumSize,
            serverLimit: NegentropyFrame.minimumSize
        )
        #expect(found.have == [items[150].id])
        #expect(found.need == [items[77].id])
    }

    @Test func theExtremeTimestampsAreReconciled() throws {
        let items = [0, 1, UInt64.max - 1].map { Samples.item($0, EventID(Bytes32(words: $0, 0, 0, 0))) }
        let found = try Conversation(InMemoryNegentropySet([items[1]]), with: InMemoryNegentropySet(items))
        #expect(found.need.sorted() == [items[0].id, items[2].id].sorted())
        let many = (0..<100).map { Samples.item(.max - 1, EventID(Bytes32(words: 0, 0, 0, $0))) }
        let rest = try Conversation(InMemoryNegentropySet(many), with: InMemoryNegentropySet(many.dropFirst()))
        #expect(rest.have == [many[0].id])
    }

    @Test func aSetWithOnlyTheDefaultsAgreesWithTheOneInMemory() throws {
        var random = SeededGenerator(seed: 9)
        let items = Samples.items(700, using: &random).sorted()
        let plain = PlainSet(items: items)
        let memory = InMemoryNegentropySet(items.reversed())
        var differing: [Range<Int>] = []
        for start in stride(from: 0, through: 700, by: 13) {
            for end in stride(from: start, through: 700, by: 31)
            where try plain.sum(of: start..<end) != memory.sum(of: start..<end) {
                differing.append(start..<end)
            }
        }
        #expect(differing == [])
        #expect(try plain.sum(of: 0..<700) != memory.sum(of: 0..<699))
        let found = try Conversation(plain, with: InMemoryNegentropySet(items.dropLast(3)))
        #expect(found.have.sorted() == items.suffix(3).map(\.id).sorted())
    }

    @Test func aRepeatedItemCountsOnce() throws {
        var random = SeededGenerator(seed: 10)
        let items = Samples.items(10, using: &random)
        #expect(InMemoryNegentropySet(items + items).count == 10)
    }

    @Test func aSetThatIsNotSortedIsReportedAndNoTrap() throws {
        var random = SeededGenerator(seed: 11)
        let items = Samples.items(500, using: &random).sorted()
        for broken in [Array(items.reversed()), items.shuffled(using: &random)] {
            #expect(throws: NegentropyError.unsortedSet) {
                _ = try Conversation(PlainSet(items: broken), with: PlainSet(items: []), clientLimit: 256)
            }
            #expect(throws: NegentropyError.unsortedSet) {
                _ = try Conversation(PlainSet(items: []), with: PlainSet(items: broken), serverLimit: 256)
            }
        }
        // Not every flaw is seen.
        for broken in [items + items, items + items.prefix(1), items.suffix(250) + items] {
            _ = try? Conversation(PlainSet(items: broken), with: PlainSet(items: []), clientLimit: 256)
            _ = try? Conversation(PlainSet(items: items), with: PlainSet(items: broken), serverLimit: 256)
        }
        #expect(try Conversation(PlainSet(items: items), with: PlainSet(items: [])).have.count == items.count)
    }

    @Test func theReservedTimestampIsRefused() throws {
        let id = EventID(.zero)
        #expect(throws: NegentropyError.reservedTimestamp) { try NegentropyItem(timestamp: .max, id: id) }
        #expect(try NegentropyItem(timestamp: .max - 1, id: id).timestamp == .max - 1)
    }

    @Test func tooSmallFramesAreRefused() throws {
        let set = InMemoryNegentropySet([])
        let refusal = NegentropyError.frameSizeLimitTooSmall(minimum: NegentropyFrame.minimumSize)
        #expect(throws: refusal) { try NegentropyServer(set, frameSizeLimit: NegentropyFrame.minimumSize - 1) }
        #expect(throws: refusal) { try NegentropyClient(set, frameSizeLimit: -1) }
        _ = try NegentropyServer(set, frameSizeLimit: NegentropyFrame.minimumSize)
        _ = try NegentropyClient(set, frameSizeLimit: NegentropyFrame.minimumSize)
    }
}

import NostrEvents
import NostrStore
import SQLite
import Testing

/// One suite, run against every kind of store and against the model it is compared with elsewhere.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    enum Kind: String, CaseIterable, Sendable {
        case model, memory, file, fileThatMergesAlways
    }

    /// A store with its clock, and the folder that has to outlive it.
    struct Subject {
        let store: any AnyStore
        let clock = TestClock(200)
        let scratch: Scratch

        init(_ kind: Kind) async throws {
            scratch = try Scratch()
            let clock = clock
            func options(_ keys: Int) -> StoreOptions {
                StoreOptions(
                    synchronous: .normal,
                    keysInMemory: keys,
                    serviceURLs: ["wss://relay.example"],
                    now: { clock.now }
                )
            }
            store =
                switch kind {
                case .model: ModelStore(now: { clock.now })
                case .memory: try await EventStore(.memory, options: options(80_000))
                case .file: try await EventStore(scratch.location, options: options(80_000))
                case .fileThatMergesAlways: try await EventStore(scratch.location, options: options(1))
                }
        }

        func put(_ event: Event) async throws -> IngestOutcome? {
            try await store.ingest([event]).first
        }
    }

    @Test(arguments: Kind.allCases)
    func eventsComeNewestFirstAndAtOneTimeLowestIDFirst(kind: Kind) async throws {
        let subject = try await Subject(kind)
        let events = (0..<12).map { event(at: 100 + Int64($0 / 4), "note \($0)") }
        #expect(try await subject.store.ingest(events.reversed()) == Array(repeating: .stored, count: 12))
        let order = events.sorted { $0.createdAt != $1.createdAt ? $0.createdAt > $1.createdAt : $0.id < $1.id }.map(
            \.id
        )
        #expect(try await subject.store.ids([Filter()]) == order)
        #expect(try await subject.store.ids([Filter(limit: 6)]) == Array(order.prefix(6)))
        #expect(try await subject.store.ids([Filter(limit: 0)]) == [])
        #expect(try await subject.store.ids([]) == [])
        #expect(try await subject.store.number([Filter(limit: 2)]) == 12)
    }

    @Test(arguments: Kind.allCases)
    func aLimitIsThatOfItsFilterAndNoEventComesTwice(kind: Kind) async throws {
        let subject = try await Subject(kind)
        let notes = (0..<5).map { event(.textNote, at: 100 + Int64($0)) }
        let likes = (0..<5).map { event(.reaction, at: 110 + Int64($0)) }
        _ = try await subject.store.ingest(notes + likes)
        let found = try await subject.store.ids([
            Filter(kinds: [.textNote], limit: 2), Filter(kinds: [.reaction], limit: 1), Filter(ids: [notes[4].id]),
        ])
        #expect(found == [likes[4].id, notes[4].id, notes[3].id])
    }

    @Test(arguments: Kind.allCases)
    func theLatestReplaceableEventStaysWhateverTheOrder(kind: Kind) async throws {
        let old = event(.metadata, at: 100, "old")
        let twins = [event(.metadata, at: 110, "a"), event(.metadata, at: 110, "b")].sorted { $0.id < $1.id }
        for order in permutations([old, twins[0], twins[1]]) {
            let subject = try await Subject(kind)
            for event in order { _ = try await subject.put(event) }
            #expect(try await subject.store.ids([Filter()]) == [twins[0].id])
            #expect(try await subject.put(old) == .superseded)
            #expect(try await subject.put(twins[1]) == .superseded)
            #expect(try await subject.put(twins[0]) == .duplicate)
            #expect(try await subject.put(event(.metadata, by: 1, at: 1, "another author")) == .stored)
        }
    }

    @Test(arguments: Kind.allCases)
    func addressesAreKindAuthorAndIdentifier(kind: Kind) async throws {
        let subject = try await Subject(kind)
        func article(_ identifier: String?, _ time: Int64, by person: Int = 0) -> Event {
            event(.longFormText, by: person, at: time, tags: identifier.map { [Tag("d", $0)] } ?? [])
        }
        #expect(try await subject.put(article("x", 100)) == .stored)
        #expect(try await subject.put(article("y", 90)) == .stored)
        #expect(try await subject.put(article("x", 90, by: 1)) == .stored)
        #expect(try await subject.put(article("x", 99)) == .superseded)
        #expect(try await subject.put(article("x", 101)) == .stored)
        // No identifier is the empty one.
        #expect(try await subject.put(article(nil, 100)) == .stored)
        #expect(try await subject.put(article("", 99)) == .superseded)
        // What only looks the same is another identifier.
        #expect(try await subject.put(article("\u{e4}", 100)) == .stored)
        #expect(try await subject.put(article("a\u{308}", 90)) == .stored)
        #expect(try await subject.store.number([Filter()]) == 6)
    }

    @Test(arguments: Kind.allCases)
    func ephemeralEventsAreNotStored(kind: Kind) async throws {
        let subject = try await Subject(kind)
        #expect(try await subject.put(event(20_001)) == .ephemeral)
        #expect(try await subject.put(event(29_999)) == .ephemeral)
        #expect(try await subject.put(event(19_999)) == .stored)
        #expect(try await subject.put(event(20_001, tags: [Tag("expiration", "200")])) == .expired)
        #expect(try await subject.put(event(20_001, tags: [Tag("expiration", "201")])) == .ephemeral)
        #expect(try await subject.store.number([Filter()]) == 1)
    }

    @Test(arguments: Kind.allCases)
    func aDeletionWorksInEveryOrderAndOnlyForTheAuthor(kind: Kind) async throws {
        let note = event(at: 100, "mine")
        let request = event(.deletion, at: 50, tags: [Tag("e", note.id.hex)])
        let stranger = event(.deletion, by: 1, at: 150, tags: [Tag("e", note.id.hex)])
        for order in permutations([note, request, stranger]) {
            let subject = try await Subject(kind)
            for event in order { _ = try await subject.put(event) }
            #expect(Set(try await subject.store.ids([Filter()])) == [request.id, stranger.id])
            #expect(try await subject.put(note) == .deleted)
        }
        let control = try await Subject(kind)
        for event in [note, stranger] { #expect(try await control.put(event) == .stored) }
        #expect(Set(try await control.store.ids([Filter()])) == [note.id, stranger.id])
    }

    @Test(arguments: Kind.allCases)
    func aDeletionOfAnAddressReachesUpToItsOwnTime(kind: Kind) async throws {
        func article(_ time: Int64) -> Event { event(.longFormText, at: time, tags: [Tag("d", "x:y")]) }
        let request = event(.deletion, at: 100, tags: [Tag("a", "30023:\(hex(0)):x:y")])
        let strangers = event(.deletion, by: 1, at: 300, tags: [Tag("a", "30023:\(hex(0)):x:y")])
        for order in permutations([article(100), article(99), request]) {
            let subject = try await Subject(kind)
            for event in [strangers] + order { _ = try await subject.put(event) }
            #expect(Set(try await subject.store.ids([Filter()])) == [request.id, strangers.id])
            #expect(try await subject.put(article(100)) == .deleted)
            #expect(try await subject.put(article(101)) == .stored)
        }
    }

    @Test(arguments: Kind.allCases)
    func deletionsAndRequestsToVanishCannotBeDeleted(kind: Kind) async throws {
        let subject = try await Subject(kind)
        let note = event(at: 10)
        let request = event(.deletion, at: 20, tags: [Tag("e", note.id.hex)])
        let vanish = event(.requestToVanish, at: 5, tags: [Tag("relay", "ALL_RELAYS")])
        let second = event(.deletion, at: 30, tags: [Tag("e", request.id.hex), Tag("e", vanish.id.hex)])
        for event in [request, vanish, second] { #expect(try await subject.put(event) == .stored) }
        #expect(try await subject.put(note) == .deleted)
        #expect(try await subject.store.number([Filter()]) == 3)
    }

    @Test(arguments: Kind.allCases)
    func expiredEventsAreNeitherTakenNorGiven(kind: Kind) async throws {
        let subject = try await Subject(kind)
        let short = event(at: 10, tags: [Tag("expiration", "300")])
        let odd = event(at: 11, tags: [Tag("expiration", "soon")])
        #expect(try await subject.put(event(at: 12, tags: [Tag("expiration", "200")])) == .expired)
        #expect(try await subject.put(short) == .stored)
        #expect(try await subject.put(odd) == .stored)
        subject.clock.set(299)
        #expect(try await subject.store.number([Filter()]) == 2)
        subject.clock.set(300)
        #expect(try await subject.store.ids([Filter()]) == [odd.id])
        #expect(try await subject.store.ids([Filter(ids: [short.id])]) == [])
        #expect(try await subject.put(short) == .expired)
        try await subject.store.sweep()
        #expect(try await subject.store.ids([Filter()]) == [odd.id])
    }

    @Test(arguments: Kind.allCases)
    func anExpiredVersionDoesNotStandInTheWayOfAnother(kind: Kind) async throws {
        let subject = try await Subject(kind)
        #expect(try await subject.put(event(.metadata, at: 100, tags: [Tag("expiration", "250")])) == .stored)
        #expect(try await subject.put(event(.metadata, at: 90)) == .superseded)
        subject.clock.set(250)
        #expect(try await subject.put(event(.metadata, at: 90)) == .stored)
    }

    @Test(arguments: Kind.allCases)
    func theAddresseeOfAGiftWrapMayDeleteItInEitherOrderAndNobodyElse(kind: Kind) async throws {
        let wrap = event(.giftWrap, by: 1, at: 100, "for me", tags: [Tag("p", hex(0))])
        let note = event(by: 1, at: 100, "about me", tags: [Tag("p", hex(0))])
        let named = [Tag("e", wrap.id.hex), Tag("e", note.id.hex)]
        let own = event(.deletion, by: 0, at: 200, tags: named)
        let strange = event(.deletion, by: 2, at: 200, tags: named)
        for order in [[wrap, note, strange, own], [strange, own, wrap, note]] {
            let subject = try await Subject(kind)
            for event in order { _ = try await subject.put(event) }
            #expect(Set(try await subject.store.ids([Filter()])) == [note.id, strange.id, own.id])
            #expect(try await subject.put(wrap) == .deleted)
        }
        let control = try await Subject(kind)
        for event in [wrap, note, strange] { _ = try await control.put(event) }
        #expect(Set(try await control.store.ids([Filter()])) == [wrap.id, note.id, strange.id])
    }

    @Test(arguments: Kind.allCases)
    func whoeverVanishesTakesEverythingAlongForGood(kind: Kind) async throws {
        let note = event(at: 100, "mine")
        let later = event(at: 101, "after")
        let wrap = event(.giftWrap, by: 1, at: 100, "for me", tags: [Tag("p", hex(0))])
        let laterWrap = event(.giftWrap, by: 1, at: 101, "for me", tags: [Tag("p", hex(0))])
        let mention = event(by: 1, at: 90, "about me", tags: [Tag("p", hex(0))])
        let deletion = event(.deletion, at: 50, tags: [Tag("e", later.id.hex)])
        let vanish = event(.requestToVanish, at: 100, tags: [Tag("relay", "ALL_RELAYS")])
        let rest = [note, wrap, laterWrap, mention, deletion]
        for position in 0...rest.count {
            let subject = try await Subject(kind)
            var order = rest
            order.insert(vanish, at: position)
            for event in order { _ = try await subject.put(event) }
            #expect(Set(try await subject.store.ids([Filter()])) == [vanish.id, laterWrap.id, mention.id])
            for gone in [note, wrap, deletion] { #expect(try await subject.put(gone) == .vanished) }
            #expect(try await subject.put(event(20_001, at: 99)) == .vanished)
            #expect(try await subject.put(vanish) == .duplicate)
            // The deletion is gone too, so what it named may come.
            #expect(try await subject.put(later) == .stored)
        }
    }

    @Test(arguments: Kind.allCases.filter { $0 != .model })
    func aRequestToVanishFromOtherRelaysDoesNotConcernThisOne(kind: Kind) async throws {
        let note = event(at: 100)
        let relays = [
            ("wss://other.example", false), ("wss://RELAY.example/", true), ("wss://relay.example:443", true),
            ("ws://relay.example", false), ("wss://relay.example/x", false), ("all_relays", false), ("", false),
        ]
        for (relay, isOurs) in relays {
            let subject = try await Subject(kind)
            _ = try await subject.put(note)
            #expect(try await subject.put(event(.requestToVanish, at: 100, tags: [Tag("relay", relay)])) == .stored)
            #expect(try await subject.store.ids([Filter(ids: [note.id])]) == (isOurs ? [] : [note.id]), "\(relay)")
        }
    }

    @Test(arguments: Kind.allCases)
    func tagsAreFoundByTheirLetterAndExactValue(kind: Kind) async throws {
        let subject = try await Subject(kind)
        let small = event(at: 1, tags: [Tag("t", "Nostr"), Tag("t", "x")])
        let large = event(at: 2, tags: [Tag("T", "nostr"), Tag("title", "nostr"), Tag("t")])
        _ = try await subject.store.ingest([small, large])
        func found(_ letter: TagLetter?, _ values: TagValues) async throws -> [EventID] {
            guard let letter else { return [] }
            return try await subject.store.ids([Filter(tags: [letter: values])])
        }
        #expect(try await found(.t, ["Nostr"]) == [small.id])
        #expect(try await found(.t, ["x", "Nostr"]) == [small.id])
        #expect(try await found(.t, ["nostr", "Nost", ""]) == [])
        #expect(try await found(TagLetter("T"), ["nostr"]) == [large.id])
    }
}

func permutations<T>(_ values: [T]) -> [[T]] {
    guard let first = values.first else { return [[]] }
    return permutations(Array(values.dropFirst())).flatMap { rest in
        (0...rest.count).map { position in
            var order = rest
            order.insert(first, at: position)
            return order
        }
    }
}

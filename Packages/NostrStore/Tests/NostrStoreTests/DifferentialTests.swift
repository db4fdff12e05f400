import NostrEvents
import NostrStore
import SQLite
import Testing

/// The store against the model, with seeded random traffic. `LINKSTR_STORE_SEEDS` asks for more of it.
@Suite(.timeLimit(.minutes(10))) struct DifferentialTests {
    static let seeds = Array(1...(Environment.number("LINKSTR_STORE_SEEDS") ?? 6)).map(UInt64.init)

    @Test(arguments: seeds)
    func theStoreAgreesWithTheModel(seed: UInt64) async throws {
        let clock = TestClock()
        let scratch = try Scratch()
        let model = ModelStore(now: { clock.now })
        // Few keys in memory, so that merging happens all the time; one seed in three keeps everything in memory.
        let options = StoreOptions(
            synchronous: .normal,
            readers: 1,
            groupSize: 8,
            keysInMemory: seed.isMultiple(of: 3) ? 1_000_000 : 40,
            now: { clock.now }
        )
        let location: Location = seed.isMultiple(of: 4) ? .memory : scratch.location
        var store = try await EventStore(location, options: options)
        var traffic = RandomTraffic(seed: seed)
        var differences: [String] = []
        for round in 0..<40 {
            let events = (0..<traffic.number(1...10)).map { _ in traffic.event() }
            let outcomes = try await store.ingest(events)
            let expected = await model.ingest(events)
            for (index, event) in events.enumerated() where outcomes[index] != expected[index] {
                differences.append("round \(round): \(outcomes[index]) instead of \(expected[index]) for \(event)")
            }
            for _ in 0..<30 {
                let filters = traffic.filters()
                let found = try await store.ids(filters)
                let wanted = await model.ids(filters)
                if found != wanted {
                    differences.append("round \(round): \(found.count) instead of \(wanted.count) for \(filters)")
                }
                let count = try await store.number(filters)
                let number = await model.number(filters)
                if count != number {
                    differences.append("round \(round): count \(count), not \(number), of \(filters)")
                }
            }
            let filters = traffic.filters()
            let set = try await store.negentropySet(matching: filters)
            let wanted = await model.oldestFirst(filters)
            if try set.ids(in: 0..<set.count) != wanted {
                differences.append("round \(round): a set of \(set.count) instead of \(wanted.count) for \(filters)")
            }
            if traffic.chance(15) { clock.set(clock.now + 1) }
            if traffic.chance(5) { try await store.sweepExpired() }
            if location != .memory, traffic.chance(10) {
                try await store.close()
                store = try await EventStore(location, options: options)
            }
        }
        #expect(differences.isEmpty, "\(differences.prefix(3))")
        #expect(try await store.integrityCheck() == [])
        try await store.close()
    }

    @Test(arguments: [UInt64(101), 102, 103])
    func aStreamInPartsGivesTheSameAsOneQuery(seed: UInt64) async throws {
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 60, now: { 0 }))
        var traffic = RandomTraffic(seed: seed)
        _ = try await store.ingest((0..<200).map { _ in traffic.event() })
        var differences: [String] = []
        for _ in 0..<100 {
            let filters = traffic.filters()
            let whole = try await store.ids(filters)
            var parts: [EventID] = []
            for try await part in store.stream(matching: filters, partSize: traffic.number(1...7)) {
                parts.append(contentsOf: part.map(\.id))
            }
            if parts != whole { differences.append("\(parts.count) instead of \(whole.count) for \(filters)") }
        }
        #expect(differences.isEmpty, "\(differences.prefix(3))")
    }
}

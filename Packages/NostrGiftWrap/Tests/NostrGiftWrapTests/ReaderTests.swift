import NostrCrypto
import NostrEvents
import NostrGiftWrap
import Locking
import Testing

@Suite("A reader of gift wraps")
struct ReaderTests {
    let reader = GiftWrapReader(opener: GiftWrapOpener(owner: bob))

    private func wraps(_ count: Int) async throws -> [Event] {
        var wraps: [Event] = []
        let wrapper = GiftWrapper(sender: alice)
        for index in 0..<count {
            wraps.append(try await wrapper.wrap(note("\(index)", by: alice), for: bob.publicKey, now: now))
        }
        return wraps
    }

    private func contents(_ outcomes: [GiftWrapReader.Outcome]) -> [String] {
        outcomes.map { outcome in
            switch outcome {
            case .opened(let message): message.rumor.content
            case .repeated(let message): "again \(message.rumor.content)"
            case .known: "known"
            case .failed(_, let error): "\(error)"
            }
        }
    }

    @Test("opens batches on all cores in their order, with progress")
    func batches() async throws {
        let wraps = try await wraps(100)
        let seen = Locked<[Int]>([])
        let outcomes = try await reader.open(wraps.map(\.wire)) { done in seen.withLock { $0.append(done) } }
        #expect(contents(outcomes) == (0..<100).map(String.init))
        let progress = seen.withLock { $0 }
        #expect(progress == progress.sorted() && progress.last == 100)
        #expect(contents(try await reader.open(wraps)) == [String](repeating: "known", count: 100))
    }

    @Test("opens a wrap once, also when it stands in a batch twice")
    func twice() async throws {
        let wrap = try await wraps(1)[0]
        let outcomes = try await reader.open([Event](repeating: wrap, count: 40))
        #expect(contents(outcomes).filter { $0 == "0" }.count == 1)
        #expect(contents(outcomes).filter { $0 == "known" }.count == 39)
    }

    @Test("reports a confirmed rumor in another wrap as repeated, an unconfirmed one as new")
    func rumors() async throws {
        let wrapper = GiftWrapper(sender: alice)
        let first = try await wrapper.wrap(note(), for: bob.publicKey, now: now)
        let second = try await wrapper.wrap(note(), for: bob.publicKey, now: now)
        let third = try await wrapper.wrap(note(), for: bob.publicKey, now: now)
        guard case .opened(let message) = reader.open(first), case .opened = reader.open(second) else {
            Issue.record("an unconfirmed rumor was held back")
            return
        }
        reader.confirm(message)
        guard case .repeated = reader.open(third) else {
            Issue.record("a confirmed rumor came as new")
            return
        }
        reader.forget(message)
        #expect(contents([reader.open(first)]) == ["hello"])
    }

    @Test("still opens the genuine wrap after a forged one claimed its id and its rumor's")
    func forgedFirst() async throws {
        let genuine = try await wraps(1)[0]
        let other = try await wraps(1)[0]
        let text = genuine.description.replacing(genuine.signature.hex, with: other.signature.hex)
        guard case .failed = reader.open(try WireEvent(json: text)) else {
            Issue.record("a forged wrap was opened")
            return
        }
        let claimed = try Forger(sealer: mallory).wrap(note("0"))
        #expect(contents([reader.open(claimed)]) == ["\(GiftWrapError.forgedAuthor)"])
        #expect(contents([reader.open(genuine)]) == ["0"])
    }

    @Test("remembers a bounded number of ids, the latest")
    func bounded() async throws {
        let small = GiftWrapReader(opener: GiftWrapOpener(owner: bob), capacity: 2)
        let wraps = try await wraps(3)
        for wrap in wraps { _ = small.open(wrap) }
        #expect(contents(wraps.reversed().map { small.open($0) }) == ["known", "known", "0"])
        var ids = SeenIDs(capacity: 2)
        let all = wraps.map(\.id)
        #expect(
            [ids.insert(all[0]), ids.insert(all[0]), ids.insert(all[1]), ids.insert(all[2])] == [
                true, false, true, true,
            ]
        )
        #expect(!ids.contains(all[0]) && ids.contains(all[1]) && ids.count == 2)
        ids.remove(all[1])
        #expect([ids.insert(all[0]), ids.contains(all[2])] == [true, true])
    }

    @Test("opens a stream of batches and ends with it")
    func stream() async throws {
        let wraps = try await wraps(50)
        let batches = AsyncStream<[WireEvent]> { continuation in
            for start in stride(from: 0, to: 50, by: 20) {
                continuation.yield(wraps[start..<min(start + 20, 50)].map(\.wire))
            }
            continuation.finish()
        }
        var all: [String] = []
        for try await outcomes in reader.outcomes(of: batches) { all += contents(outcomes) }
        #expect(all == (0..<50).map(String.init))
    }

    @Test("forgets what was opened when it is cancelled")
    func cancelled() async throws {
        let wraps = try await wraps(200)
        let reader = reader
        let task = Task {
            try await reader.open(wraps) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(contents(try await reader.open(wraps)).contains("known") == false)
    }

    @Test("keeps the keys of so many correspondents and no more")
    func correspondents() async throws {
        let cache = ConversationKeyCache(owner: bob.secretKey, capacity: 2)
        let opener = GiftWrapOpener(owner: bob, cache: cache)
        for _ in 0..<5 {
            let stranger = KeyPair.generate()
            let wrap = try await GiftWrapper(sender: stranger).wrap(note(by: stranger), for: bob.publicKey, now: now)
            #expect(try opener.open(wrap).sender == stranger.publicKey)
            #expect(try opener.open(wrap).sender == stranger.publicKey)
        }
        #expect(cache.count == 2)
    }
}

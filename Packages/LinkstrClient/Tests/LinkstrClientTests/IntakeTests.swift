import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import Testing

@testable import LinkstrClient

@Suite("What relays send while earlier gift wraps are opened", .timeLimit(.minutes(10)))
struct IntakeTests {
    /// Stores nothing, and only when it may.
    private actor Shelf {
        private(set) var batches: [[Event]] = []
        private var waiters: [CheckedContinuation<Void, Never>] = []
        private var isOpen = false

        func take(_ events: [Event]) async {
            batches.append(events)
            if !isOpen { await withCheckedContinuation { waiters.append($0) } }
        }

        func open() {
            isOpen = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    private struct NotSo: Error {}

    private func wait(until condition: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while await !condition() {
            guard ContinuousClock.now < deadline else { throw NotSo() }
            await Task.yield()
        }
    }

    private func wraps(_ count: Int, of size: Int) -> [Event] {
        let (key, content) = (KeyPair.generate(), String(repeating: "x", count: size))
        return (0..<count).map { Event(kind: .giftWrap, content: content, createdAt: Int64($0), signedBy: key) }
    }

    @Test("is not read on when it is much, whether it is many gift wraps or few large ones", arguments: [10, 900_000])
    func bounds(size: Int) async throws {
        let shelf = Shelf()
        let counts = Locked<[Int]>([])
        let intake = Intake(progress: { count in counts.withLock { $0.append(count) } }) { events in
            await shelf.take(events)
            return (events.count, 0, [])
        }
        let piece = size > 1_000 ? 1 : 100
        let sent = wraps(piece * 30, of: size)
        let relay = Task {
            for start in stride(from: 0, to: sent.count, by: piece) {
                await intake.take(Array(sent[start..<start + piece]))
            }
        }
        // The first piece is being stored; behind it waits as much as may.
        try await wait { await intake.isFull }
        let bytes = await intake.waitingBytes
        #expect(bytes < Intake.mostBytes + 1 << 20)
        await shelf.open()
        await relay.value
        await intake.finish()
        let batches = await shelf.batches
        #expect(batches.flatMap(\.self).map(\.id) == sent.map(\.id))
        #expect(batches.allSatisfy { $0.count < Intake.mostWaiting + piece })
        #expect(batches.allSatisfy { $0.reduce(0) { $0 + $1.json.count } < Intake.mostBytes + 1 << 20 })
        #expect(await intake.report.opened == sent.count)
        #expect(counts.withLock { $0 == $0.sorted() && $0.last == sent.count })
    }

    @Test("is not taken when the storage fails, and nobody waits for ever")
    func failure() async throws {
        let shelf = Shelf()
        let intake = Intake(progress: nil) { events throws(SessionStoreError) in
            await shelf.take(events)
            throw .invalidKey
        }
        let sent = wraps(1_100, of: 10)
        await intake.take([sent[0]])
        let relays = [1..<600, 600..<1_100].map { part in
            Task { await intake.take(Array(sent[part])) }
        }
        try await wait { await intake.isFull }
        await shelf.open()
        for relay in relays { await relay.value }
        await intake.finish()
        #expect(await intake.failure == .invalidKey)
        #expect(await shelf.batches.map(\.count) == [1])
        await intake.take([sent[1]])
        #expect(await shelf.batches.map(\.count) == [1])
        #expect(await intake.waitingBytes == 0)
    }
}

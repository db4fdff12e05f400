import LinkstrPush
import Locking
import NostrCrypto
import NostrEvents
import Testing

/// A notification is sent a second time only where nobody can know whether it arrived.
@Suite struct LeaseTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()

    private func open(_ folder: Folder, _ clock: HeldClock) async throws -> SQLitePushStore {
        try await SQLitePushStore(folder.database, now: clock.milliseconds)
    }

    @Test func whatIsBeingSentIsNotBegunAgainWhenItsLeaseRunsOut() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let (gate, claims) = (Gate(), Locked(0))
        let sender = ScriptedSender { sent, _ in
            if sent.token == "slow" { await gate.wait() }
            return .delivered
        }
        let store = WatchedStore(
            try await open(folder, clock),
            claimed: { jobs in claims.withLock { $0 += jobs.jobs.count } }
        )
        let gateway = try await Gateway(folder, sender: sender, clock: clock, store: store)
        try await gateway.register("slow", by: bob)
        try await gateway.register("other", by: alice)
        try await gateway.post("e1", to: [bob], by: alice)
        await sender.wait(for: 1)
        for round in 2...3 {
            clock.advance(31_000)
            #expect(try await eventually { claims.withLock { $0 } == round })
        }
        // Others are sent meanwhile.
        try await gateway.post("e2", to: [alice], by: bob)
        #expect(try await eventually { gateway.service.metrics.values.delivered == 1 })
        gate.open()
        #expect(try await eventually { try await store.counts().jobs == 0 })
        await gateway.service.stop()
        let values = gateway.service.metrics.values
        #expect((values.attempts, values.delivered, values.reclaimed) == (2, 2, 0))
        #expect(sender.sent.map(\.token) == ["slow", "other"])
    }

    @Test(arguments: [(4_999, 1), (5_000, 2)] as [(Int64, Int)])
    func whatCouldNotBeWrittenDownWithinTheLeaseIsNotBegunButTakenAnew(pause: Int64, count: Int) async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let claims = Locked(0)
        // The worker stands still after it has taken the job: 10 seconds to send and 15 to write are left, or they are not.
        let store = WatchedStore(
            try await open(folder, clock),
            claimed: { jobs in
                guard !jobs.jobs.isEmpty else { return }
                if claims.withLock({
                    $0 += 1; return $0
                }) == 1 {
                    clock.advance(pause)
                }
            }
        )
        let sender = ScriptedSender()
        let gateway = try await Gateway(folder, sender: sender, clock: clock, store: store)
        try await gateway.register("t", by: bob)
        try await gateway.post("e", to: [bob], by: alice)
        await sender.wait(for: 1)
        #expect(try await eventually { try await store.counts().jobs == 0 })
        await gateway.service.stop()
        #expect(claims.withLock { $0 } == count)
        #expect(sender.sent.map(\.time) == [.seconds(10)])
        #expect(gateway.service.metrics.values.reclaimed == 0)
    }

    @Test func whatCannotBeWrittenDownIsWrittenLaterAndNotSentAgain() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let (fails, failures, claims) = (Locked(true), Locked(0), Locked(0))
        let store = WatchedStore(
            try await open(folder, clock),
            claimed: { jobs in claims.withLock { $0 += jobs.jobs.count } },
            settling: {
                guard fails.withLock({ $0 }) else { return }
                failures.withLock { $0 += 1 }
                throw PushStoreError.failed("The disk is full.")
            }
        )
        let sender = ScriptedSender()
        let gateway = try await Gateway(folder, sender: sender, clock: clock, store: store)
        try await gateway.register("t", by: bob)
        try await gateway.post("e", to: [bob], by: alice)
        // It is tried again unasked, and the lease runs out meanwhile.
        #expect(try await eventually { failures.withLock { $0 } >= 2 })
        clock.advance(31_000)
        #expect(try await eventually { claims.withLock { $0 } == 2 })
        #expect(try await store.counts().jobs == 1)
        fails.withLock { $0 = false }
        #expect(try await eventually { try await store.counts().jobs == 0 })
        await gateway.service.stop()
        #expect(sender.sent.count == 1)
        #expect(gateway.service.metrics.values.delivered == 1)
    }

    @Test func whatTheFirstDeliversIsDoneThoughItsLeaseRanOutAndAnotherHasTakenItOver() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let (first, second) = (Gate(), Gate())
        let slow = ScriptedSender { _, _ in
            await first.wait()
            return .delivered
        }
        let other = ScriptedSender { _, _ in
            await second.wait()
            return .failed(reason: "test")
        }
        // It looks at the queue once, or it would keep what it has.
        let begun = Locked(false)
        let watched = WatchedStore(
            try await open(folder, clock),
            finds: { !begun.withLock { $0 } },
            claimed: { jobs in begun.withLock { $0 = $0 || !jobs.jobs.isEmpty } }
        )
        let one = try await Gateway(folder, sender: slow, clock: clock, store: watched)
        try await one.register("t", by: bob)
        try await one.post("e", to: [bob], by: alice)
        await slow.wait(for: 1)
        let two = try await Gateway(folder, sender: other, clock: clock)
        clock.advance(30_000)
        await other.wait(for: 1)
        first.open()
        let store = try await open(folder, clock)
        #expect(try await eventually { try await store.counts().jobs == 0 })
        second.open()
        #expect(try await eventually { two.service.metrics.values.failed == 1 })
        // It would be due again by now.
        clock.advance(60_000)
        try await one.post("next", to: [bob], by: alice)
        await other.wait(for: 2)
        for service in [one.service, two.service] { await service.stop() }
        #expect(slow.sent.map(\.notification.collapseID) == ["e"])
        #expect(other.sent.map(\.notification.collapseID) == ["e", "next"])
        #expect(two.service.metrics.values.reclaimed == 1)
        await store.close()
    }
}

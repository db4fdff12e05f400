import Sockets
import Testing

private actor Counter {
    private let loop: EventLoop
    private(set) var count = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop) { self.loop = loop }

    func add() {
        count += 1
    }

    func isOnLoop() -> Bool { loop.isCurrent }

    nonisolated func addFromLoop() { assumeIsolated { $0.add() } }
}

@Suite struct EventLoopTests {
    @Test func anActorRunsOnTheLoop() async throws {
        let loop = try EventLoop()
        let counter = Counter(on: loop)
        #expect(await counter.isOnLoop())
        #expect(!loop.isCurrent)
    }

    @Test func theLoopEntersAnActorWithoutSuspending() async throws {
        let loop = try EventLoop()
        let counter = Counter(on: loop)
        for _ in 0..<1000 { loop.execute { counter.addFromLoop() } }
        await counter.add()
        #expect(await counter.count == 1001)
    }

    @Test func workIsDoneInTheOrderInWhichItWasHandedOver() async throws {
        let loop = try EventLoop()
        let seen = Shared<[Int]>([])
        for number in 0..<500 { loop.execute { seen.update { $0.append(number) } } }
        _ = await Counter(on: loop).isOnLoop()
        #expect(seen.value == Array(0..<500))
    }

    @Test func timersFireInOrderOfTheirDeadlinesAndOnlyOnceTheyAreDue() async throws {
        let loop = try EventLoop(virtualTime: true)
        let seen = Shared<[Int]>([])
        loop.execute {
            for delay in [30, 10, 20, 10, 60] {
                loop.schedule(after: .seconds(delay)) { seen.update { $0.append(delay) } }
            }
            let cancelled = loop.schedule(after: .seconds(15)) { seen.update { $0.append(15) } }
            loop.schedule(after: .seconds(10)) { cancelled.cancel() }
        }
        await loop.advance(by: .seconds(9))
        #expect(seen.value == [])
        await loop.advance(by: .seconds(21))
        #expect(seen.value == [10, 10, 20, 30])
        await loop.advance(by: .seconds(29))
        #expect(seen.value == [10, 10, 20, 30])
        await loop.advance(by: .seconds(1))
        #expect(seen.value == [10, 10, 20, 30, 60])
    }

    @Test func thousandsOfTimersFireInOrderThoughMostAreCancelled() async throws {
        let loop = try EventLoop(virtualTime: true)
        let seen = Shared<[Int]>([])
        loop.execute {
            var state: UInt64 = 7
            for _ in 0..<5000 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let delay = Int(state >> 40 % 1000)
                let timer = loop.schedule(after: .milliseconds(delay)) { seen.update { $0.append(delay) } }
                if state >> 33 % 4 != 0 { timer.cancel() }
            }
        }
        await loop.advance(by: .seconds(1 << 30))
        #expect(seen.value == seen.value.sorted())
        #expect(seen.value.count > 1000)
        #expect(seen.value.count < 1500)
    }

    @Test func aTimerThatMakesATimerForNowDoesNotKeepTheLoopBusy() async throws {
        let loop = try EventLoop()
        let stop = Shared(false)
        @Sendable func again() {
            guard !stop.value else { return }
            loop.schedule(after: .zero) { again() }
        }
        loop.execute { again() }
        #expect(await Counter(on: loop).isOnLoop())
        stop.update { $0 = true }
    }

    @Test func sleepingEndsAtItsTimeOrWithItsTask() async throws {
        let loop = try EventLoop()
        let start = ContinuousClock.now
        try await loop.sleep(for: .milliseconds(20))
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        let task = Task { try await loop.sleep(for: .seconds(1000)) }
        task.cancel()
        let error = await failure { try await task.value }
        #expect(error == .cancelled)
    }

    @Test func aLoopThatNobodyHoldsEndsItsThread() async throws {
        weak var gone: EventLoop?
        do {
            let loop = try EventLoop()
            gone = loop
            _ = await Counter(on: loop).isOnLoop()
        }
        #expect(await eventually { gone == nil })
    }
}

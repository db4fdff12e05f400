import Locking
import Testing

@testable import NostrRelay

/// In which order clients get on that all want an answer.
@Suite(.timeLimit(.minutes(10))) struct FairTurnsTests {
    /// Time that passes when a test says so.
    private final class Clock: Sendable {
        private let time = Locked(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func pass(_ duration: Duration) {
            time.withLock { $0 += duration }
        }
    }

    private let clock = Clock()
    private let order = Locked<[String]>([])

    private func turns(_ count: Int) -> FairTurns {
        FairTurns(count) { [clock] in clock.now }
    }

    /// Has a turn for so long in a task of its own, which is returned when it waits.
    private func wait(
        _ turns: FairTurns,
        _ name: String,
        _ part: FairTurns.Part = .first,
        after share: Int64? = 0,
        for time: Duration = .zero
    ) async -> Task<Int64, Never> {
        let before = turns.waitingCount
        let task = Task { [order, clock] in
            let turn = await turns.take(part, after: share)
            order.withLock { $0.append(name) }
            clock.pass(time)
            return turns.give(turn)
        }
        while turns.waitingCount == before { await Task.yield() }
        return task
    }

    @Test func turnsGoByWhatAClientHasHadAndNotByWhoCameFirst() async {
        let turns = turns(1)
        let held = await turns.take(.first, after: 0)
        clock.pass(.milliseconds(5))
        let tasks = [
            await wait(turns, "hog", after: 5_000_000),
            await wait(turns, "middling", after: 1_000_000),
            await wait(turns, "modest", after: 1_000),
            await wait(turns, "new"),
        ]
        #expect(turns.give(held) == 5_000_000)
        for task in tasks { _ = await task.value }
        #expect(order.withLock { $0 } == ["new", "modest", "middling", "hog"])
        #expect(turns.waitingCount == 0)
    }

    @Test func whoWasSilentForLongIsNotAheadOfThoseWhoAreServedAndNobodyWaitsForEver() async {
        let turns = turns(1)
        // Somebody who has had a second is being served: that is the time now.
        let held = await turns.take(.first, after: 1_000_000_000)
        let waiting = await wait(turns, "waiting", after: 1_000_000_500)
        let again = await wait(turns, "again", after: 1_000_000_800)
        let silent = await wait(turns, "silent", after: 0, for: .nanoseconds(400))
        _ = turns.give(held)
        #expect(await silent.value == 1_000_000_400)
        _ = await waiting.value
        _ = await again.value
        #expect(order.withLock { $0 } == ["silent", "waiting", "again"])
    }

    @Test func thoseWhoComeAgainAndAgainAreNotAheadOfWhoStays() async {
        let turns = turns(1)
        let held = await turns.take(.first, after: 0)
        var tasks: [Task<Int64, Never>] = []
        for _ in 0..<3 { tasks.append(await wait(turns, "new", after: nil)) }
        // It has had a millisecond, and they nothing.
        tasks.append(await wait(turns, "staying", after: 1_000_000))
        _ = turns.give(held)
        for task in tasks { _ = await task.value }
        // The newcomers are served, so their time is the time now, and the next of them comes behind it.
        let next = await turns.take(.first, after: 0)
        let newcomer = await wait(turns, "new", after: nil)
        let small = await wait(turns, "staying", after: 3_000_000)
        _ = turns.give(next)
        _ = await small.value
        _ = await newcomer.value
        #expect(order.withLock { $0 } == ["staying", "new", "new", "new", "staying", "new"])
    }

    @Test func furtherPartsLeaveAPlaceForFirstParts() async {
        let turns = turns(3)
        let first = await turns.take(.further, after: 0)
        let second = await turns.take(.further, after: 0)
        let third = await wait(turns, "further", .further)
        // At once, though it came later and has had more.
        let small = await turns.take(.first, after: 7)
        order.withLock { $0.append("small") }
        _ = turns.give(small)
        #expect(turns.waitingCount == 1)
        _ = turns.give(first)
        _ = await third.value
        _ = turns.give(second)
        #expect(order.withLock { $0 } == ["small", "further"])
    }

    @Test func theOnlyPlaceIsForBothKindsOfParts() async {
        let turns = turns(1)
        let held = await turns.take(.further, after: 0)
        let further = await wait(turns, "further", .further, after: 1)
        let first = await wait(turns, "first", .first, after: 2)
        _ = turns.give(held)
        _ = await further.value
        _ = await first.value
        #expect(order.withLock { $0 } == ["further", "first"])
    }
}

/// What all may hold together.
@Suite struct BudgetTests {
    @Test func nobodyMayHoldMoreThanIsLeftForOthers() {
        let budget = Budget(100)
        #expect(budget.allows(0, adding: 50))
        #expect(!budget.allows(0, adding: 51))
        budget.add(50)
        #expect(budget.allows(50))
        // The next may have half of what is left, and then he who has most has too much.
        #expect(!budget.allows(0, adding: 26))
        #expect(budget.allows(0, adding: 25))
        budget.add(25)
        #expect(!budget.allows(50))
        #expect(budget.allows(25))
        budget.add(-50)
        #expect(budget.held == 25)
        #expect(budget.allows(0, adding: 37))
    }
}

import SQLite
import Testing

/// Notes in the order in which they were made.
private actor Notes {
    private let thread: DatabaseThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private(set) var all: [Int] = []

    init(_ thread: DatabaseThread) {
        self.thread = thread
    }

    func note(_ number: Int) { all.append(number) }
}

@Suite(.timeLimit(.minutes(10))) struct ThreadTests {
    @Test func whatIsPerformedRunsInItsTurnWhereTheActorsOfTheThreadRun() async {
        let thread = DatabaseThread()
        let notes = Notes(thread)
        await notes.note(0)
        for number in 1...100 { thread.perform { notes.assumeIsolated { $0.note(number) } } }
        await notes.note(101)
        #expect(await notes.all == Array(0...101))
    }

    @Test func whatIsPerformedIsDoneThoughNobodyHoldsTheThreadAnyLonger() async {
        await withCheckedContinuation { continuation in
            DatabaseThread().perform { continuation.resume() }
        }
    }
}

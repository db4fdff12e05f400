import Locking
import NostrCrypto
import NostrEvents
import NostrStore
import Sockets

/// Takes events from the loops, verifies them on all cores, and hands them to the database in the order in which they
/// came, as many at a time as have come meanwhile. An answer goes back when its event is committed.
///
/// Clients take turns, so that one who sends much does not keep the others waiting.
final class IngestPipeline: Sendable {
    private struct Lane {
        var items = Queue<IngestItem>()
    }

    private struct State {
        /// What waits, by session, and whose turn it is.
        var lanes: [UInt64: Lane] = [:]
        var turns = Queue<UInt64>()
        var workers = 0
        var nextChunk = 0
        /// What is verified but not yet in its turn.
        var verified: [Int: [VerifiedItem]] = [:]
        var nextRelease = 0
        var released: [VerifiedItem] = []
        var isCommitting = false
        var bytes = 0
        /// Sessions that wait until there is room.
        var waiting: [UInt64: Session] = [:]
        /// Events that are or will be in the database, and of which subscribers do not know yet; in how many groups, since an event
        /// may come again before it was announced.
        var unannounced: [EventID: Int] = [:]
    }

    private let verifier: EventVerifier
    private let store: EventStore
    private let counters: Counters
    private let cores: Int
    private let byteLimit: Int
    private let announce: @Sendable ([Event], @escaping @Sendable () -> Void) -> Void
    private let state = Locked(State())

    /// Events that are verified in one piece of work, and of one client in a turn.
    private static let chunkSize = 16
    private static let turnSize = 4
    private static let groupSize = 512
    /// What a loop verifies itself.
    private static let fewItems = 2
    private static let fewBytes = 16 << 10

    /// - Parameter announce: tells the subscribers, and calls the closure when all of them know.
    init(
        verifier: EventVerifier,
        store: EventStore,
        counters: Counters,
        cores: Int,
        byteLimit: Int,
        announce: @escaping @Sendable ([Event], @escaping @Sendable () -> Void) -> Void
    ) {
        self.verifier = verifier
        self.store = store
        self.counters = counters
        self.cores = max(1, cores)
        self.byteLimit = byteLimit
        self.announce = announce
    }

    /// Takes what a session got in one turn of its loop.
    ///
    /// - Parameter mayVerify: whether the loop has the time to verify a little itself.
    /// - Returns: false if there is no room for more; the session is told when there is.
    func submit(_ items: [IngestItem], from session: Session, mayVerify: Bool) -> Bool {
        let (start, hasRoom): (Start, Bool) = state.withLock { state in
            let bytes = items.reduce(0) { $0 + $1.size }
            state.bytes += bytes
            let hasRoom = state.bytes < byteLimit
            if !hasRoom { state.waiting[session.id] = session }
            // Without workers nothing waits either.
            if mayVerify, state.workers == 0, items.count <= Self.fewItems, bytes <= Self.fewBytes {
                state.workers += 1
                defer { state.nextChunk += 1 }
                return (.alone(number: state.nextChunk), hasRoom)
            }
            if state.lanes[session.id] == nil {
                state.lanes[session.id] = Lane()
                state.turns.append(session.id)
            }
            for item in items { state.lanes[session.id]?.items.append(item) }
            guard state.workers < cores else { return (.nothing, hasRoom) }
            state.workers += 1
            return (.help, hasRoom)
        }
        switch start {
        case .nothing: break
        case .help: help()
        // To wake another thread for it would take longer.
        case .alone(let number): workAlone(number, items)
        }
        return hasRoom
    }

    /// Who verifies what a session has brought.
    private enum Start {
        /// Those who are at work.
        case nothing
        case help
        /// The loop itself, these and nothing else.
        case alone(number: Int)
    }

    /// Which of these events are known to nobody yet, but will be announced to their subscribers.
    func unannounced(among ids: [EventID]) -> [EventID] {
        state.withLock { state in state.unannounced.isEmpty ? [] : ids.filter { state.unannounced[$0] != nil } }
    }

    // MARK: Verifying

    private func help() {
        Task.detached { self.work() }
    }

    private func work() {
        while let (number, items, needsHelp) = take() {
            if needsHelp { help() }
            finish(number, verifier.verify(items))
        }
        commit()
    }

    /// A worker that lets another thread go on with what has come meanwhile.
    private func workAlone(_ number: Int, _ items: [IngestItem]) {
        finish(number, verifier.verify(items))
        let isDone = state.withLock { state in
            if state.turns.isEmpty { state.workers -= 1 }
            return state.turns.isEmpty
        }
        if isDone { commit() } else { help() }
    }

    /// The next piece of work; nil when nothing waits, after which the worker must end.
    private func take() -> (number: Int, items: [IngestItem], needsHelp: Bool)? {
        state.withLock { state in
            var items: [IngestItem] = []
            while items.count < Self.chunkSize, let lane = state.turns.popFirst() {
                for _ in 0..<Self.turnSize {
                    guard let item = state.lanes[lane]?.items.popFirst() else { break }
                    items.append(item)
                }
                if state.lanes[lane]?.items.isEmpty ?? true {
                    state.lanes[lane] = nil
                } else {
                    state.turns.append(lane)
                }
            }
            guard !items.isEmpty else {
                state.workers -= 1
                return nil
            }
            let needsHelp = !state.turns.isEmpty && state.workers < cores
            if needsHelp { state.workers += 1 }
            defer { state.nextChunk += 1 }
            return (state.nextChunk, items, needsHelp)
        }
    }

    private func finish(_ number: Int, _ items: [VerifiedItem]) {
        let starts: Bool = state.withLock { state in
            state.verified[number] = items
            while let next = state.verified.removeValue(forKey: state.nextRelease) {
                state.released += next
                state.nextRelease += 1
            }
            // When nothing else is to be verified, this worker commits when it ends: more comes into one group.
            guard !state.released.isEmpty, !state.isCommitting, !state.turns.isEmpty else { return false }
            state.isCommitting = true
            return true
        }
        if starts { commitGroups() }
    }

    // MARK: Committing

    private func commit() {
        let starts: Bool = state.withLock { state in
            guard !state.released.isEmpty, !state.isCommitting else { return false }
            state.isCommitting = true
            return true
        }
        if starts { commitGroups() }
    }

    /// Gives the database one group after another; each is followed by what has come while it was committed.
    private func commitGroups() {
        while let group = takeGroup() {
            let events = group.compactMap { item in if case .publish(let event) = item.verdict { event } else { nil } }
            guard !events.isEmpty else {
                answer(group, [], nil)
                continue
            }
            counters.commits.add()
            store.ingest(events) { result in
                // What failed is told to each client; the reason is the database's own affair.
                self.answer(group, events.map(\.id), try? result.get())
                self.commitGroups()
            }
            return
        }
    }

    private func takeGroup() -> [VerifiedItem]? {
        state.withLock { state in
            guard !state.released.isEmpty else {
                state.isCommitting = false
                return nil
            }
            let group = Array(state.released.prefix(Self.groupSize))
            state.released.removeFirst(group.count)
            for case .publish(let event) in group.map(\.verdict) { state.unannounced[event.id, default: 0] += 1 }
            return group
        }
    }

    private func answer(_ group: [VerifiedItem], _ ids: [EventID], _ outcomes: [IngestOutcome]?) {
        var next = 0
        var news: [Event] = []
        var answers: [UInt64: (session: Session, answers: [IngestAnswer])] = [:]
        for item in group {
            let outcome: VerifiedItem.Outcome
            if case .publish(let event) = item.verdict {
                outcome = VerifiedItem.Outcome(outcomes?[next])
                if outcome.isNews { news.append(event) }
                next += 1
            } else {
                outcome = VerifiedItem.Outcome(item.verdict)
            }
            count(outcome)
            let session = item.item.session
            answers[session.id, default: (session, [])].answers.append(item.answer(outcome))
        }
        if news.isEmpty {
            forget(ids)
        } else {
            announce(news) { self.forget(ids) }
        }
        for (session, answers) in answers.values {
            session.loop.execute { session.assumeIsolated { $0.answered(answers) } }
        }
        makeRoom(group.reduce(0) { $0 + $1.item.size })
    }

    private func forget(_ ids: [EventID]) {
        state.withLock { state in
            for id in ids {
                let left = state.unannounced[id, default: 0] - 1
                state.unannounced[id] = left > 0 ? left : nil
            }
        }
    }

    private func makeRoom(_ bytes: Int) {
        let waiting: [Session] = state.withLock { state in
            state.bytes -= bytes
            guard !state.waiting.isEmpty, state.bytes <= byteLimit / 2 else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for session in waiting { session.loop.execute { session.assumeIsolated { $0.pipelineHasRoom() } } }
    }

    private func count(_ outcome: VerifiedItem.Outcome) {
        switch outcome {
        case .stored: counters.eventsStored.add()
        case .passedOn: counters.eventsEphemeral.add()
        case .known: counters.eventsDuplicate.add()
        case .refused: counters.eventsRefused.add()
        case .authenticated: break
        }
    }
}

public import NostrCrypto
public import NostrEvents

/// Changes the follow list of one account without losing what others, or other devices of the account, put into it.
///
/// - One change at a time, in the order of the calls.
/// - Nothing is published before the current list is known: from ``load()``, from ``receive(_:)`` or from what was stored.
/// - A list that shrinks by more than half needs ``Confirmation/shrink``.
/// - A list that arrives while ours is published is taken as the new base, and ours published again, at most three times.
/// - Where another device made a list without knowing ours, ``settle(confirming:)`` puts both together: what the other changed if
///   ours has replaced it, what was asked for here if the other's has replaced ours.
/// - What is replaced is kept and can be brought back by ``undo(_:confirming:)``.
///
/// The events of the account that come in by subscriptions must be given to ``receive(_:)``.
public actor FollowListEditor {
    /// What a caller says yes to.
    public struct Confirmation: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int

        /// Options of their bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The new list may have less than half of the follows.
        public static let shrink = Confirmation(rawValue: 1)
        /// There is no list yet, whatever the relays did not answer.
        public static let firstList = Confirmation(rawValue: 2)
    }

    /// What a change led to.
    public enum Outcome: Equatable, Sendable {
        /// The list was so already; nothing was published.
        case unchanged
        /// It is published, accepted and saved.
        case published(Event)
    }

    /// How often one change is published before it is given up.
    public static let maximumPublications = 3
    /// Seconds by which the list that is replaced may be dated ahead of the clock.
    public static let clockTolerance: Int64 = 600

    private let keyPair: KeyPair
    private let environment: FollowListEnvironment
    private var knowledge: FollowListState
    private var replaced: FollowListHistory
    private var isLoaded = false
    private var isClosed = false
    private var turns = Turns()
    private var concurrent = ConcurrentChanges()
    private var intents = RecentIntents()

    /// An editor of one account.
    /// - Parameters:
    ///   - state: What was stored; its owner is the key pair's.
    ///   - history: The replaced lists that were stored.
    public init(
        keyPair: KeyPair,
        state: FollowListState? = nil,
        history: FollowListHistory = FollowListHistory(),
        environment: FollowListEnvironment
    ) {
        self.keyPair = keyPair
        let owner = keyPair.publicKey.bytes
        knowledge = state.flatMap { $0.owner == owner ? $0 : nil } ?? FollowListState(owner: owner)
        replaced = history
        self.environment = environment
        for event in history.events.suffix(3) { concurrent.know(event) }
        concurrent.know(knowledge.newest)
    }

    /// The newest list that is known, and its watermark.
    public var state: FollowListState { knowledge }
    /// The lists that were replaced.
    public var history: FollowListHistory { replaced }
    /// Whether a change could be published now without ``Confirmation/firstList``.
    public var isListKnown: Bool { knowledge.list != nil || (isLoaded && knowledge.watermark == nil) }
    /// Whether ``settle(confirming:)`` has something to do. Look after each ``receive(_:)``.
    public var needsSettling: Bool {
        !concurrent.waiting.isEmpty
            || knowledge.list.map { intents.isContradicted(by: $0, now: environment.now()) } ?? false
    }

    /// Asks the relays for the current list. After that an answer of "none" is known to be one.
    /// - Throws: What the environment throws: then nothing is known that was not known before.
    public func load() async throws {
        let events = try await environment.fetchNewest()
        guard !isClosed else { throw ContactsError.closed }
        for event in events { try await receive(event) }
        isLoaded = true
    }

    /// Takes a kind 3 from a relay, at any time.
    /// - Throws: What saving throws; the list counts all the same.
    @discardableResult
    public func receive(_ event: Event) async throws -> FollowListState.Outcome {
        guard !isClosed else { throw ContactsError.closed }
        let before = knowledge.newest
        let outcome = knowledge.apply(event)
        switch outcome {
        case .applied:
            if let before {
                concurrent.note(before)
                replaced.add(before)
            }
            concurrent.know(event)
            try await environment.save(knowledge, replaced)
        case .repeated:
            if before == nil, knowledge.newest != nil { try await environment.save(knowledge, replaced) }
        case .stale:
            if concurrent.note(event) { replaced.add(event) }
        case .foreign: break
        }
        return outcome
    }

    /// Follows somebody; who is followed already keeps its tag.
    /// - Throws: ``ContactsError``, what publishing throws, or `CancellationError`.
    @discardableResult
    public func add(_ follows: [Follow], confirming: Confirmation = []) async throws -> Outcome {
        try await edit(confirming) { _ in .add(follows) }
    }

    /// Follows somebody no longer.
    /// - Throws: ``ContactsError``, what publishing throws, or `CancellationError`.
    @discardableResult
    public func remove(_ keys: Set<Bytes32>, confirming: Confirmation = []) async throws -> Outcome {
        try await edit(confirming) { _ in .remove(keys) }
    }

    /// Publishes an earlier list again. Changes that arrive meanwhile stay.
    /// - Parameter stepsBack: 1 for the list before the current, 2 for the one before that.
    /// - Throws: ``ContactsError/nothingReplaced``, ``ContactsError/noSuchVersion`` and what ``add(_:confirming:)`` throws.
    @discardableResult
    public func undo(_ stepsBack: Int = 1, confirming: Confirmation = []) async throws -> Outcome {
        guard !replaced.events.isEmpty else { throw ContactsError.nothingReplaced }
        guard let earlier = replaced[stepsBack: stepsBack].flatMap(FollowList.init) else {
            throw ContactsError.noSuchVersion
        }
        return try await edit(confirming) { .restore(earlier, from: $0) }
    }

    /// Publishes an empty list, for the end of an account.
    /// - Throws: What ``add(_:confirming:)`` throws.
    @discardableResult
    public func clear(confirming: Confirmation) async throws -> Outcome {
        try await edit(confirming) { _ in .clear }
    }

    /// Puts into the list what other devices changed in the list that ours replaced before it was seen here, and what was asked for
    /// here less than a minute ago if another device's newer list does not have it.
    /// - Throws: What ``add(_:confirming:)`` throws; then it is still to be done.
    @discardableResult
    public func settle(confirming: Confirmation = []) async throws -> Outcome {
        guard needsSettling else { return .unchanged }
        return try await edit(confirming) { _ in .add([]) }
    }

    /// Ends running and waiting changes: their results are not applied. The account was left.
    public func close() {
        isClosed = true
        turns.close(ContactsError.closed)
    }

    private func edit(
        _ confirming: Confirmation,
        _ change: (FollowList) -> FollowListEdit
    ) async throws -> Outcome {
        try await enter()
        defer { turns.pass() }
        guard isListKnown || confirming.contains(.firstList) else { throw ContactsError.listUnknown }
        let change = change(knowledge.list ?? FollowList())
        let intent = change.intent(on: knowledge.list ?? FollowList())
        // Ours that others have replaced, or that is to be replaced because it was made of an older list.
        var lastPublished: ReplaceableVersion?
        for _ in 0..<Self.maximumPublications {
            try Task.checkCancellation()
            let base = knowledge
            let list = base.list ?? FollowList()
            let merging = concurrent.waiting
            let merged = merging.reduce(list) { $0.merging($1.theirs, from: $1.base) }
            let settled = intents.applied(to: merged, now: environment.now())
            let next = change.applied(to: settled)
            // Relays may hold a list of ours that is newer than the base and does not have what the base has.
            let isOverwritten = lastPublished.map { ours in base.watermark.map { $0 < ours } ?? true } ?? false
            if next == list, !isOverwritten {
                concurrent.finish(merging.count)
                intents.remember(following: intent.following, ceasing: intent.ceasing, now: environment.now())
                return .unchanged
            }
            try check(next, replacing: list, confirming)
            let last = [lastPublished?.createdAt, base.watermark?.createdAt].compactMap(\.self).max()
            let event = next.event(createdAt: try time(after: last), signedBy: keyPair)
            lastPublished = ReplaceableVersion(event)
            concurrent.publish(event, madeOf: base.watermark)
            do {
                try await environment.publish(event)
            } catch {
                guard !isClosed else { throw ContactsError.closed }
                // A relay refuses what is older than what it has: then the newer list may be here by now. And a list that came back
                // from a relay is published, whatever became of the answer.
                if knowledge.watermark == base.watermark { throw error }
            }
            guard !isClosed else { throw ContactsError.closed }
            // A newer list arrived meanwhile, unless it is the echo of this one.
            guard knowledge.watermark == base.watermark || knowledge.watermark == lastPublished else { continue }
            concurrent.finish(merging.count)
            intents.repeated(in: merged.difference(to: settled))
            intents.remember(following: intent.following, ceasing: intent.ceasing, now: environment.now())
            try await accept(event, replacing: base)
            return .published(event)
        }
        throw ContactsError.conflict
    }

    private func accept(_ event: Event, replacing base: FollowListState) async throws {
        _ = knowledge.apply(event)
        if let before = base.newest { replaced.add(before) }
        isLoaded = true
        do {
            try await environment.save(knowledge, replaced)
        } catch {
            throw ContactsError.notSaved
        }
    }

    private func check(_ next: FollowList, replacing list: FollowList, _ confirming: Confirmation) throws {
        let (old, new) = (list.keys.count, next.keys.count)
        guard new >= old - new || confirming.contains(.shrink) else {
            throw ContactsError.shrinks(from: old, to: new)
        }
    }

    private func time(after last: Int64?) throws -> Int64 {
        let now = environment.now()
        guard let time = ReplaceableVersion.time(after: last, now: now, tolerance: Self.clockTolerance) else {
            throw ContactsError.clockBehind(seconds: (last ?? now) - max(now, 0))
        }
        return time
    }

    private func enter() async throws {
        try Task.checkCancellation()
        guard !isClosed else { throw ContactsError.closed }
        if turns.take() { return }
        let ticket = turns.ticket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turns.wait(ticket, $0) }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
        guard !isClosed else {
            turns.pass()
            throw ContactsError.closed
        }
    }

    private func abandon(_ ticket: Int) {
        turns.abandon(ticket)
    }
}

import NostrEvents
import Locking

/// Gathers what relays answer to one call of `publish`, and wakes it when nothing more can change the decision.
final class PublishTracker: Sendable {
    private struct State {
        var receipt: PublishReceipt
        var undecided: Int
        var unanswered: Int
        var progress = 0
        var isOver = false
        var isConcluded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Locked<State>
    private let needed: Int
    private let relays: Int
    private let onOutcome: (@Sendable (EventID, RelayURL, PublishOutcome) -> Void)?

    init(
        _ ids: [EventID],
        relays: Int,
        acceptance: Acceptance,
        onOutcome: (@Sendable (EventID, RelayURL, PublishOutcome) -> Void)?
    ) {
        self.relays = relays
        self.onOutcome = onOutcome
        needed = acceptance.needed(of: relays)
        let outcomes = Dictionary(
            ids.map { ($0, [RelayURL: PublishOutcome]()) },
            uniquingKeysWith: { first, _ in first }
        )
        let undecided = relays == 0 ? 0 : outcomes.count
        state = Locked(
            State(
                receipt: PublishReceipt(outcomes: outcomes, acceptance: acceptance, relays: relays),
                undecided: undecided,
                unanswered: outcomes.count * relays
            )
        )
    }

    /// An event is decided when enough relays have taken it, or all have answered.
    private func isDecided(_ outcomes: [RelayURL: PublishOutcome]) -> Bool {
        let accepted = outcomes.values.count { $0.isAccepted }
        return accepted >= needed || outcomes.count >= relays
    }

    func report(_ id: EventID, _ relay: RelayURL, _ outcome: PublishOutcome) {
        let (isNews, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            // An answer counts until the receipt is handed out, also one that comes while the call gives up.
            guard !state.isConcluded, let before = state.receipt.outcomes[id], before[relay] == nil else {
                return (false, nil)
            }
            var after = before
            after[relay] = outcome
            state.receipt.outcomes[id] = after
            state.progress += 1
            state.unanswered -= 1
            if !isDecided(before), isDecided(after) { state.undecided -= 1 }
            guard state.undecided == 0 || state.unanswered == 0 else { return (true, nil) }
            state.isOver = true
            return (true, state.waiter.take())
        }
        if isNews { onOutcome?(id, relay, outcome) }
        waiter?.resume()
    }

    /// Changes whenever something was reported.
    var progress: Int { state.withLock { $0.progress } }

    /// Stops waiting.
    func giveUp() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits until nothing more can change the decision, or until it is given up.
    func decision() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isOver, state.undecided > 0, state.unanswered > 0 else { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            giveUp()
        }
    }

    /// Enters what a relay has left open when the time is over.
    func conclude(_ id: EventID, _ relay: RelayURL, _ outcome: PublishOutcome) {
        let isNews = state.withLock { state in
            guard state.receipt.outcomes[id] != nil, state.receipt.outcomes[id]?[relay] == nil else { return false }
            state.receipt.outcomes[id]?[relay] = outcome
            return true
        }
        if isNews { onOutcome?(id, relay, outcome) }
    }

    /// The receipt, in which nothing changes any more.
    func conclusion() -> PublishReceipt {
        state.withLock { state in
            state.isConcluded = true
            return state.receipt
        }
    }
}

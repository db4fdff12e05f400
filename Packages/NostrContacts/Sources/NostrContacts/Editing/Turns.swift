/// Lets one at a time through, in the order of coming. It belongs to an actor and is used on it alone.
struct Turns {
    private struct Waiting {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private var isTaken = false
    private var waiting: [Waiting] = []
    private var tickets = 0

    /// Takes the turn if nobody has it.
    mutating func take() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Gives a number to wait with.
    mutating func ticket() -> Int {
        tickets += 1
        return tickets
    }

    mutating func wait(_ ticket: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        waiting.append(Waiting(ticket: ticket, continuation: continuation))
    }

    /// Gives the turn to the next one.
    mutating func pass() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().continuation.resume()
        }
    }

    /// Ends the wait of one who was cancelled and has not had its turn.
    mutating func abandon(_ ticket: Int) {
        guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiting.remove(at: place).continuation.resume(throwing: CancellationError())
    }

    /// Ends all waits.
    mutating func close(_ error: any Error) {
        let all = waiting
        waiting = []
        for one in all { one.continuation.resume(throwing: error) }
    }
}

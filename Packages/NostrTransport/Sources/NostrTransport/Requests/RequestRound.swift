import NostrEvents

/// One sending of a request, in one REQ or several, whose ends of stored events are one for the consumer. Lives on the
/// connection's loop.
final class RequestRound {
    private let parts: Int
    private var ended = 0
    private var page = StoredPage()
    /// By the filter of the request.
    private var holds: [Int: StoredHold] = [:]
    /// Whether the consumer has been told of the end of stored events.
    private(set) var isAnnounced = false

    /// - Parameters:
    ///   - parts: the REQs.
    ///   - holds: for the filters of which each REQ has a piece, if their limit matters.
    init(parts: Int, holds: [Int: StoredHold] = [:]) {
        self.parts = parts
        self.holds = holds
        if parts > 1 { page.hints = .finish }
    }

    /// Whether it was sent in one REQ.
    var isWhole: Bool { parts == 1 }
    var isComplete: Bool { ended >= parts }

    /// Keeps an event of a piece. False if nothing is kept for that.
    func hold(_ piece: Int?, _ id: EventID, createdAt time: Int64, event: Event?, bytes: Int) -> Bool {
        guard let piece, holds[piece] != nil else { return false }
        holds[piece]?.add(id, createdAt: time, event: event, bytes: bytes)
        return true
    }

    func partEnded(_ part: StoredPage, piece: Int?, relayLimit: Int?) {
        ended += 1
        if let piece, holds[piece] != nil {
            holds[piece]?.pieceEnded(part, relayLimit: relayLimit)
        } else if parts == 1 {
            page = part
        } else {
            page.join(part)
        }
    }

    /// What was kept, and the page of the whole round.
    func conclude() -> (events: [(event: Event, bytes: Int)], page: StoredPage) {
        isAnnounced = true
        var events: [(event: Event, bytes: Int)] = []
        for piece in holds.keys.sorted() {
            guard let held = holds[piece]?.release() else { continue }
            events += held.events
            page.join(held.page)
        }
        holds = [:]
        return (events, page)
    }
}

extension StoredPage {
    /// Adds another part of the same request.
    mutating func join(_ other: StoredPage) {
        received += other.received
        valid += other.valid
        oldest = [oldest, other.oldest].compactMap(\.self).min()
        newest = [newest, other.newest].compactMap(\.self).max()
        if !other.hints.contains(.finish) { hints.remove(.finish) }
        if other.hints.contains(.more) { hints = .more }
    }
}

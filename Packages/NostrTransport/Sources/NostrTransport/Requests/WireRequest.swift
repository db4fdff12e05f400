import NostrEvents

/// One REQ: of a request, of a part of one, or of several that share it. Lives on the connection's loop.
final class WireRequest {
    /// A request that has this REQ.
    struct Member {
        let request: RelayRequest
        let round: RequestRound
        var page = StoredPage()
    }

    let number: Int
    let id: SubscriptionID
    let rule: MatchRule
    /// See ``RequestSplitter/Part/pieceOf``.
    let piece: Int?
    var members: [Member]

    /// Whether the relay has it open, as far as is known here.
    var isOpen = true
    /// When it was sent; nil once something has come.
    var sentAt: ContinuousClock.Instant?
    /// Whether anything has come.
    var hasEvents = false
    /// Whether its stored events are over.
    var isOver = false
    /// Whether it asks for what a member wanted that has left.
    var isWide = false

    init(number: Int, id: SubscriptionID, rule: MatchRule, piece: Int?, members: [Member]) {
        self.number = number
        self.id = id
        self.rule = rule
        self.piece = piece
        self.members = members
    }

    /// Whether it was sent for several requests: then each event is held against the filters of each.
    var isShared: Bool { rule.isShared }
}

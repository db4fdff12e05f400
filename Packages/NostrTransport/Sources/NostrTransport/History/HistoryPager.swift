import NostrEvents

/// Walks through everything that one relay has for one filter, page by page from the newest event to the oldest, without
/// losing events that share a second. It does no I/O and knows no clock: ask for ``step``, fetch that page, and tell how
/// it ended.
///
/// The cursor is inclusive: the next page begins with the second in which the last one ended, and only a second that came
/// whole is left behind. A second that is larger than the largest page is noted as incomplete, and the walk goes on, or
/// whoever fills one second could hide everything older.
///
/// A relay cuts pages at its NIP-11 `max_limit`, or at a size that it does not tell; the largest page that it has sent is
/// taken for that size. No relay cuts below ``smallestCut``, so that a short history is not taken for a cut one.
public struct HistoryPager: Sendable, Equatable {
    /// What to do next.
    public enum Step: Sendable, Equatable {
        /// Fetch events up to and including a second (nil: the newest), so many at most.
        case page(until: Int64?, limit: Int)
        /// All is there, but for ``HistoryPager/incompleteSeconds``.
        case finished
        /// The page was no answer to what was asked, or failed: what is older is not known.
        case failed
    }

    /// The limit of an ordinary page.
    public static let startLimit = 500
    /// The limit of the largest page, for a second that is crowded.
    public static let maximumLimit = 4_000
    /// Pages with fewer events are not taken for cut ones.
    public static let smallestCut = 100
    /// More seconds than this are not noted one by one; the walk fails instead.
    public static let mostIncompleteSeconds = 1_000

    /// What to do next.
    public private(set) var step = Step.page(until: nil, limit: HistoryPager.startLimit)
    /// Seconds of which the relay has more than it gives at once.
    public private(set) var incompleteSeconds: [Int64] = []
    /// Whether everything that the relay has came.
    public var isComplete: Bool { step == .finished && incompleteSeconds.isEmpty }

    /// The relay's `max_limit`, if it has told one (NIP-11).
    public var relayLimit: Int?
    private var largestPage = 0

    /// At the newest event.
    public init(relayLimit: Int? = nil) {
        self.relayLimit = relayLimit
    }

    /// The page ended with the end of stored events.
    public mutating func pageEnded(_ page: StoredPage) {
        guard case .page(let until, let limit) = step else { return }
        guard isAnswer(page, until: until) else {
            step = .failed
            return
        }
        defer { largestPage = max(largestPage, page.received) }
        if page.hints.contains(.finish) {
            step = .finished
            return
        }
        guard let oldest = page.oldest else {
            // Nothing, or nothing but junk: only the former ends a history, unless the relay says that there is more.
            step = page.received == 0 && !page.hints.contains(.more) ? .finished : .failed
            return
        }
        if oldest != until {
            step = .page(until: oldest, limit: Self.startLimit)
        } else if !isFull(page, limit) {
            stepOver(oldest)
        } else if limit < Self.maximumLimit {
            step = .page(until: oldest, limit: min(limit * 2, Self.maximumLimit))
        } else {
            guard incompleteSeconds.count < Self.mostIncompleteSeconds else {
                step = .failed
                return
            }
            incompleteSeconds.append(oldest)
            stepOver(oldest)
        }
    }

    /// The page did not come to its end.
    public mutating func pageFailed() {
        if case .page = step { step = .failed }
    }

    /// A second that was incomplete was completed in another way.
    public mutating func completed(_ second: Int64) {
        incompleteSeconds.removeAll { $0 == second }
    }

    private func isAnswer(_ page: StoredPage, until: Int64?) -> Bool {
        if page.received > Self.maximumLimit { return false }
        if let oldest = page.oldest, oldest < 0 { return false }
        if let newest = page.newest, let until, newest > until { return false }
        return true
    }

    private func isFull(_ page: StoredPage, _ limit: Int) -> Bool {
        if page.hints.contains(.more) { return true }
        let largest = largestPage >= Self.smallestCut ? largestPage : .max
        return page.received >= min(limit, relayLimit ?? .max, largest)
    }

    private mutating func stepOver(_ second: Int64) {
        step = second > 0 ? .page(until: second - 1, limit: Self.startLimit) : .finished
    }
}

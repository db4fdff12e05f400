import NostrEvents
import NostrTransport
import Testing

/// The cursor's rules, one a row.
@Suite struct HistoryPagerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Pages that lead to the situation.
        var before: [StoredPage] = []
        let page: StoredPage
        var relayLimit: Int?
        let step: HistoryPager.Step
        var incomplete: [Int64] = []
        var testDescription: String { name }
    }

    static func page(
        _ received: Int,
        oldest: Int64? = nil,
        newest: Int64? = nil,
        valid: Int? = nil,
        hints: EndOfStoredEventsHints = []
    ) -> StoredPage {
        var page = StoredPage()
        page.received = received
        page.valid = valid ?? received
        page.oldest = oldest
        page.newest = newest ?? oldest
        page.hints = hints
        return page
    }

    /// The first page, down to second 100.
    static let first = page(500, oldest: 100, newest: 900)

    static let rows: [Row] = [
        Row(name: "an empty history is finished", page: page(0), step: .finished),
        Row(
            name: "the next page begins with the second in which the last one ended",
            page: first,
            step: .page(until: 100, limit: 500)
        ),
        Row(
            name: "a page that came further down goes on from there",
            before: [first],
            page: page(500, oldest: 50, newest: 100),
            step: .page(until: 50, limit: 500)
        ),
        Row(
            name: "a full page of one second is asked for again with twice the limit",
            before: [first],
            page: page(500, oldest: 100),
            step: .page(until: 100, limit: 1_000)
        ),
        Row(
            name: "the limit is doubled up to 4,000",
            before: [first, page(500, oldest: 100), page(1_000, oldest: 100)],
            page: page(2_000, oldest: 100),
            step: .page(until: 100, limit: 4_000)
        ),
        Row(
            name: "a second with 4,000 events is noted and stepped over",
            before: [first, page(500, oldest: 100), page(1_000, oldest: 100), page(2_000, oldest: 100)],
            page: page(4_000, oldest: 100),
            step: .page(until: 99, limit: 500),
            incomplete: [100]
        ),
        Row(
            name: "a second that came whole is stepped over",
            before: [first],
            page: page(3, oldest: 100),
            step: .page(until: 99, limit: 500)
        ),
        Row(
            name: "after a crowded second the limit is the ordinary one again",
            before: [first, page(500, oldest: 100)],
            page: page(700, oldest: 40, newest: 100),
            step: .page(until: 40, limit: 500)
        ),
        Row(
            name: "the history ends with an empty page",
            before: [first, page(3, oldest: 100)],
            page: page(0),
            step: .finished
        ),
        Row(
            name: "a short history in one second is not taken for a cut page",
            before: [page(3, oldest: 100)],
            page: page(3, oldest: 100),
            step: .page(until: 99, limit: 500)
        ),
        Row(
            name: "a relay that cuts at 300 without saying so is noticed by its largest page",
            before: [page(300, oldest: 100, newest: 200)],
            page: page(300, oldest: 100),
            step: .page(until: 100, limit: 1_000)
        ),
        Row(
            name: "duplicate and invalid events count for the fullness of a page",
            before: [first],
            page: page(500, oldest: 100, valid: 1),
            step: .page(until: 100, limit: 1_000)
        ),
        Row(
            name: "a page as long as the relay's max_limit is full",
            before: [page(50, oldest: 100, newest: 200)],
            page: page(50, oldest: 100),
            relayLimit: 50,
            step: .page(until: 100, limit: 1_000)
        ),
        Row(
            name: "finish ends the history (NIP-67)",
            page: page(500, oldest: 100, newest: 900, hints: .finish),
            step: .finished
        ),
        Row(
            name: "more makes a page of one second a full one (NIP-67)",
            before: [first],
            page: page(3, oldest: 100, hints: .more),
            step: .page(until: 100, limit: 1_000)
        ),
        Row(name: "more after nothing is no answer", page: page(0, hints: .more), step: .failed),
        Row(
            name: "an event newer than the cursor is no answer",
            before: [first],
            page: page(10, oldest: 90, newest: 101),
            step: .failed
        ),
        Row(name: "a negative time is no answer", page: page(10, oldest: -1, newest: 5), step: .failed),
        Row(
            name: "more than 4,000 events are no answer",
            before: [first],
            page: page(4_001, oldest: 50, newest: 100),
            step: .failed
        ),
        Row(name: "a page of junk is no answer", page: page(10, valid: 0), step: .failed),
        Row(
            name: "nothing is older than the first second",
            before: [page(2, oldest: 0, newest: 5)],
            page: page(2, oldest: 0),
            step: .finished
        ),
    ]

    @Test(arguments: rows)
    func theCursorFollowsItsRules(_ row: Row) {
        var pager = HistoryPager(relayLimit: row.relayLimit)
        for page in row.before { pager.pageEnded(page) }
        guard case .page = pager.step else {
            Issue.record("the pages before lead elsewhere: \(pager.step)")
            return
        }
        pager.pageEnded(row.page)
        #expect(pager.step == row.step)
        #expect(pager.incompleteSeconds == row.incomplete)
        #expect(pager.isComplete == (row.step == .finished && row.incomplete.isEmpty))
    }

    @Test func aFailedPageFailsTheWalkAndNothingChangesThat() {
        var pager = HistoryPager()
        pager.pageFailed()
        #expect(pager.step == .failed)
        pager.pageEnded(Self.page(0))
        #expect(pager.step == .failed)
        #expect(!pager.isComplete)
    }

    @Test func aSecondThatWasCompletedOtherwiseCountsAsComplete() {
        var pager = HistoryPager()
        for count in [500, 500, 1_000, 2_000, 4_000, 0] {
            pager.pageEnded(Self.page(count, oldest: count == 0 ? nil : 100))
        }
        #expect(pager.step == .finished)
        #expect(!pager.isComplete)
        pager.completed(100)
        #expect(pager.isComplete)
    }
}

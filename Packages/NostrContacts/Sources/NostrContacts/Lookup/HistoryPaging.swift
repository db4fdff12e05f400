/// Where one relay stands with a history that is asked for page by page, from the newest down. The cursor is inclusive, because many
/// events may have the same second; a page that is full of one second is asked for again, larger.
struct HistoryPaging: Sendable {
    static let smallestPage = 200
    static let largestPage = 1_600

    private(set) var until: Int64?
    private(set) var limit = smallestPage
    private(set) var isFinished = false
    /// Whether there is more than could be asked for.
    private(set) var isCut = false

    /// Takes the end of a page.
    /// - Parameter oldest: The smallest time in it; nil if it was empty.
    mutating func finishPage(count: Int, oldest: Int64?) {
        guard let oldest else {
            isFinished = true
            return
        }
        if oldest != until {
            until = oldest
            limit = Self.smallestPage
        } else if count < limit {
            isFinished = true
        } else if limit < Self.largestPage {
            limit *= 2
        } else {
            isFinished = true
            isCut = true
        }
    }
}

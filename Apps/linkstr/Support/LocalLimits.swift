import CommandKit
import NostrEvents

extension EventLimits {
    /// For events from standard input or the command line: whoever gives them chose their size, so only the longest
    /// line bounds them.
    static let local = EventLimits(
        size: LineReader.defaultLimit,
        contentSize: LineReader.defaultLimit,
        tags: 1_000_000,
        tagsOfKind: [:]
    )
}

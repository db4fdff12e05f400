import CommandKit
import NostrCrypto
import NostrEvents

/// The options that make a filter, shared by the commands that ask relays.
enum FilterOptions {
    private static let kinds = RepeatedOption("kind", short: "k", .kind, "Events of this kind")
    private static let authors = RepeatedOption("author", short: "a", .publicKey, "Events by this key")
    private static let ids = RepeatedOption("id", short: "i", .eventID, "The event with this id")
    private static let tags = RepeatedOption(
        "tag",
        short: "t",
        .tagCondition,
        "Events that have one of the values in a tag of this letter"
    )
    private static let since = Option("since", .time, "Events of this second since 1970 or later")
    private static let until = Option("until", .time, "Events of this second since 1970 or earlier")
    private static let limit = Option(
        "limit",
        short: "l",
        .integer(in: 0...1_000_000 as ClosedRange<Int>),
        "The newest N"
    )
    private static let search = Option("search", .text, "Events that match a search (NIP-50)")

    static let all: [any Parameter] = [kinds, authors, ids, tags, since, until, limit, search]

    static func filter(_ call: Invocation) -> Filter {
        var filter = Filter(since: call[since], until: call[until], limit: call[limit], search: call[search])
        if !call[kinds].isEmpty { filter.kinds = Set(call[kinds]) }
        if !call[authors].isEmpty { filter.authors = Set(call[authors].map(\.bytes)) }
        if !call[ids].isEmpty { filter.ids = Set(call[ids]) }
        for (letter, values) in Dictionary(grouping: call[tags], by: \.letter) {
            filter.tags[letter] = TagValues(values.flatMap(\.values))
        }
        return filter
    }
}

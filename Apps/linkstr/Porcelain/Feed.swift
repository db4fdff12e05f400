import CommandKit
import LinkstrClient
import NostrEvents

enum Feed {
    private static let session = OptionalArgument(
        "SESSION",
        .text,
        "Its name or the beginning of its id; all if left out"
    )
    private static let unread = Flag("unread", "Only what was not read")
    private static let since = Option(
        "since",
        .integer(in: 0...Int64.max as ClosedRange<Int64>),
        "Only what is not older"
    )
    private static let limit = DefaultedOption(
        "limit",
        .integer(in: 1...100_000 as ClosedRange<Int>),
        default: 50,
        "The newest so many"
    )

    static let command = Command(
        "feed",
        "Show posts, the newest last",
        details: [
            "Uses no network: `linkstr sync` brings what is new. Between the posts of one session stands who came in and who went out."
        ],
        takes: [unread, limit, since, session],
        examples: [
            Example("linkstr feed", "Shows the newest posts of all sessions"),
            Example("linkstr feed Films --unread --json", "Prints what is new in one session"),
        ]
    ) { call in
        let arguments = JSONObject([
            ("session", .text(call[session])), ("unread", .flag(call[unread])), ("since", .number(call[since])),
            ("limit", .number(Int64(call[limit]))),
        ])
        guard let session = call[session], !call[unread], !call.console.usesJSON else {
            return try await Work.perform(call, .feed, arguments, text: ShownText.post)
        }
        try await Work.withPerformer(call) { performer in
            let posts = try await performer.perform(.feed, arguments)
            let members = try await performer.perform(
                .sessionMembers,
                ["session": .string(session), "history": true]
            )
            for line in lines(posts, members) { try call.console.output.line(line) }
        }
    }

    /// Posts, and after the first of them who came in or went out, by time.
    private static func lines(_ posts: [JSONValue], _ members: [JSONValue]) -> [String] {
        var changes = moves(members)[...]
        var lines: [String] = []
        for post in posts {
            let time = post["created_at"]?.integer ?? 0
            let before = changes.prefix { $0.time <= time }
            // What was before the first post that is shown is not between posts.
            if !lines.isEmpty { lines += before.map(\.line) }
            changes = changes.dropFirst(before.count)
            lines += ShownText.post(post)
        }
        return lines.isEmpty ? [] : lines + changes.map(\.line)
    }

    private static func moves(_ members: [JSONValue]) -> [(time: Int64, line: String)] {
        var moves: [(time: Int64, line: String)] = []
        for member in members {
            let name =
                member["name"]?.string.map { TerminalText.safe($0, width: 24) } ?? ShownText.short(member["member"])
            func add(_ time: Int64?, _ what: String) {
                guard let time else { return }
                moves.append((time, "--          \(name) \(what)  \(ShownText.time(time))"))
            }
            add(member["from"]?.integer, "came in")
            add(member["to"]?.integer, "went out")
        }
        return moves.sorted { $0.time < $1.time }
    }
}

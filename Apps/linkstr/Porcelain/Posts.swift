import CommandKit
import LinkstrClient
import LinkstrLinks
import NostrEvents

enum PostLink {
    private static let note = Option("note", .text, "A text of at most 4,000 characters")
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")
    private static let url = Argument("URL", .text, "A web address or a linkstr:open link; - reads a text")

    static let command = Command(
        "post",
        "Share a link in a session",
        details: [
            "Waits until every member's copy was taken by a relay, and prints the post's id. With - for the URL a text is read from "
                + "standard input: its first web link is shared, and the rest is the note."
        ],
        takes: [note, session, url],
        examples: [
            Example("linkstr post Films https://example.com/a --note 'worth a look'", "Shares a link with a note"),
            Example("xclip -o | linkstr post Films -", "Shares the link in a text, with the text as its note"),
        ]
    ) { call in
        let (url, note) = try input(call)
        try await Work.withPerformer(call) { performer in
            try await performer.catchUp()
            let arguments = JSONObject([
                ("session", .text(call[session])), ("url", .text(url)), ("note", .text(note)),
            ])
            try await Work.perform(performer, call, .post, arguments, tryingAgain: true) { [$0["id"]?.string ?? ""] }
        }
    }

    private static func input(_ call: Invocation) throws -> (url: String, note: String?) {
        guard call[url] == "-" else { return (call[url], call[note]) }
        guard call[note] == nil else {
            throw CommandFailure(.usage, "the text that is read has the note in it; leave --note out")
        }
        let shared = try SharedText(try StandardText.read())
        return (shared.url.text, shared.note)
    }
}

enum React {
    private static let off = Flag("off", "Take the reaction back")
    private static let post = Argument("POST", .text, "The beginning of its id")
    private static let emoji = Argument("EMOJI", .text, "One emoji")

    static let command = Command(
        "react",
        "Set a reaction on a post, or take it back",
        details: ["What already is so sends nothing."],
        takes: [off, post, emoji],
        examples: [
            Example("linkstr react 490e3877 👍", "Tells the members"),
            Example("linkstr react 490e3877 👍 --off", "Takes it back"),
        ]
    ) { call in
        try await Work.withPerformer(call) { performer in
            try await performer.catchUp()
            _ = try await performer.perform(
                .react,
                JSONObject([
                    ("post", .text(call[post])), ("emoji", .text(call[emoji])), ("off", .flag(call[off])),
                ])
            )
        }
    }
}

enum Read {
    private static let what = Argument("SESSION|POST", .text, "A session by its name or id, or a post by its id")

    static let command = Command(
        "read",
        "Mark a post, or all posts of a session, as read",
        details: ["Read marks stay on this device."],
        takes: [what],
        examples: [Example("linkstr read Films", "Marks all its posts")]
    ) { call in
        try await Work.perform(call, .read, ["what": .string(call[what])]) { _ in [] }
    }
}

enum Sync {
    private static let full = Flag("full", "Read the whole history again")

    static let command = Command(
        "sync",
        "Read what is new from all relays",
        takes: [full],
        examples: [Example("linkstr sync", "Catches up and prints what changed")]
    ) { call in
        try await Work.perform(call, .sync, JSONObject([("full", .flag(call[full]))])) { report in
            func count(_ key: String) -> Int64 { report[key]?.integer ?? 0 }
            let all = [("messages", "message"), ("posts", "new post"), ("sessions", "new session")]
            return [all.map { count($0).counted($1) }.joined(separator: ", ")]
        }
    }
}

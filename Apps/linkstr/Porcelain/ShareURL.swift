import CommandKit
import LinkstrClient
import LinkstrLinks
import NostrEvents

enum ShareURL {
    private static let note = Option("note", .text, "Make a link that shares with this note")
    private static let save = Flag("save", "Make a link that saves what the address shows")
    private static let what = Argument("URL|POST", .text, "A web address, or a post by the beginning of its id")

    static let command = Command(
        "share-url",
        "Make a linkstr: link of an address or of a post",
        details: ["The link holds the address alone, no session and no author."],
        takes: [note, save, what],
        examples: [
            Example("linkstr share-url https://example.com/a", "Prints linkstr://open?url=..."),
            Example("linkstr share-url 490e3877 --note 'for you'", "Prints linkstr://share?url=...&note=..."),
        ]
    ) { call in
        if call[save], call[note] != nil {
            throw CommandFailure(.usage, "--save and --note ask for different links; give one of them")
        }
        let url = try await address(call)
        let link: DeepLink =
            call[save] ? .save(url) : call[note].map { .share(url, note: DeepLink.cleaned($0)) } ?? .open(url)
        try call.console.usesJSON
            ? call.console.output.line(["link": .string(link.text), "url": .string(url.text)])
            : call.console.output.line(link.text)
    }

    private static func address(_ call: Invocation) async throws -> WebURL {
        let isID = call[what].utf8.count >= 4 && call[what].utf8.allSatisfy { (48...57) ~= $0 || (97...102) ~= $0 }
        guard isID else { return try WebURL(call[what]) }
        let post = try await Work.withPerformer(call) { performer in
            try await performer.one(.postFind, ["post": .string(call[what])])
        }
        return try WebURL(post["url"]?.string ?? "")
    }
}

enum OpenURL {
    private static let session = Option("session", .text, "Where a share link is posted")
    private static let link = Argument("LINK", .text, "A linkstr: link")

    static let command = Command(
        "open-url",
        "Act on a linkstr: link",
        details: [
            "An open link shows what is known of its address. A share link is posted after asking for the session, or to "
                + "the one of --session. Saving media is not part of this version."
        ],
        takes: [session, link],
        examples: [
            Example("linkstr open-url 'linkstr://open?url=https%3A%2F%2Fexample.com'", "Shows what the address is"),
            Example("linkstr open-url 'linkstr://share?url=example.com' --session Films", "Shares it"),
        ]
    ) { call in
        switch try DeepLink(call[link]) {
        case .open(let url): try call.console.output.line(URLClassify.json(url))
        case .save: throw CommandFailure(.unavailable, "saving media is not part of this version")
        case .share(let url, let note):
            let session = try session(call, url)
            try await Work.withPerformer(call) { performer in
                try await performer.catchUp()
                let arguments = JSONObject([
                    ("session", .text(session)), ("url", .text(url.text)), ("note", .text(note)),
                ])
                try await Work.perform(performer, call, .post, arguments) { [$0["id"]?.string ?? ""] }
            }
        }
    }

    private static func session(_ call: Invocation, _ url: WebURL) throws -> String {
        if let named = call[session] { return named }
        guard Console.canAsk else {
            throw CommandFailure(.notPermitted, "nobody can be asked where to share it: name a session with --session")
        }
        let answer = try Confirmation.ask(call, "In which session is \(url.text) to be shared?")
        guard !answer.isEmpty else { throw CommandFailure(.notPermitted, "no session was named; nothing was done") }
        return answer
    }
}

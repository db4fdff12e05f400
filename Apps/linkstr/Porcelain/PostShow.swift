import CommandKit
import LinkstrClient
import NostrEvents

enum PostShow {
    private static let post = Argument("POST", .text, "The beginning of its id")
    private static let refresh = Flag("refresh", "Ask the web server now what the link is")

    static let command = Command(
        "show",
        "Show a post, what its link is, and who reacted to it",
        details: [
            "It counts as read then. What the link is, is known where `config set link_metadata true` was said or --refresh asked; "
                + "who asks tells the web server this machine's address."
        ],
        takes: [refresh, post],
        examples: [
            Example("linkstr post show 490e3877", "Prints the post and every reaction"),
            Example("linkstr post show 490e3877 --refresh", "Fetches title and picture anew"),
        ]
    ) { call in
        let arguments = JSONObject([("post", .text(call[post])), ("refresh", .flag(call[refresh]))])
        try await Work.perform(call, .postShow, arguments, text: ShownText.postInFull)
    }
}

enum PostDelete {
    private static let post = Argument("POST", .text, "The beginning of its id")
    private static let keepCopies = Flag("keep-copies", "Tell the members also where relays refuse to drop your copies")

    static let command = Command(
        "delete",
        "Delete a post of yours for everybody",
        details: ["Relays are asked to drop your copies, and everybody who ever was in the session is told."],
        takes: [Confirmation.yes, keepCopies, post],
        examples: [Example("linkstr post delete 490e3877", "Asks, and deletes it")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            try await performer.catchUp()
            let found = try await performer.one(.postFind, ["post": .string(call[post])])
            let url = TerminalText.safe(found["url"]?.string ?? "", width: 100)
            try Confirmation.require(call, "The post of \(url) is deleted for everybody, for good.")
            let fields = JSONObject([("post", found["id"]), ("keep_copies", .bool(call[keepCopies]))])
            _ = try await performer.perform(.postDelete, fields)
        }
    }
}

enum PostOpen {
    private static let post = Argument("POST", .text, "The beginning of its id")

    static let command = Command(
        "open",
        "Open the link of a post in the browser",
        details: [
            "Shows the host and hands the address to $BROWSER or xdg-open as one argument, never through a shell. Without a "
                + "terminal or a desktop it prints the address. The post counts as read then."
        ],
        takes: [post],
        examples: [Example("linkstr post open 490e3877", "Opens it")]
    ) { call in
        let shown = try await Work.withPerformer(call) { performer in
            try await performer.one(.postShow, ["post": .string(call[post])])
        }
        let address = shown["url"]?.string ?? ""
        guard !call.console.usesJSON, call.console.output.isTerminal, Browser.isThere else {
            try call.console.usesJSON
                ? call.console.output.line(["url": .string(address)])
                : call.console.output.line(TerminalText.safe(address))
            return
        }
        call.console.say("opening \(Browser.host(of: address))")
        try Browser.open(address)
    }
}

import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum SessionNew {
    private static let name = Argument("NAME", .text, "What to call the session")
    private static let members = RepeatedOption(
        "member",
        short: "m",
        .person,
        "Somebody to share with; may be repeated"
    )

    static let command = Command(
        "new",
        "Make a private session",
        details: ["Every member gets a copy and learns of all others. Prints the session's id."],
        takes: [members, Confirmation.yes, Strangers.flag, name],
        examples: [
            Example("linkstr session new Films --member npub1...", "Asks, and makes a session with one other member"),
            Example("linkstr session new Notes", "Makes one for yourself alone"),
        ]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let keys = try await performer.keys(call[members]).map(\.bytes)
            if !keys.isEmpty {
                let list = keys.map(\.npub).joined(separator: ", ")
                try Confirmation.require(
                    call,
                    "The session \(TypedText.repeated(call[name])) is made and told to \(list).",
                    and: try await Strangers.missing(call, performer, keys)
                )
            }
            try await performer.catchUp()
            try await Strangers.confirm(call, performer, keys)
            try await Work.perform(
                performer,
                call,
                .sessionNew,
                ["name": .string(call[name]), "members": .array(keys.map { .string($0.hex) })]
            ) { [$0["id"]?.string ?? ""] }
        }
    }
}

enum SessionList {
    private static let archived = Flag("archived", "Show archived sessions instead")
    private static let search = Option("search", .text, "Only those whose name holds this text")

    static let command = Command(
        "list",
        "List sessions, newest activity first",
        takes: [archived, search],
        examples: [Example("linkstr session list", "Prints id, name and unread posts of each session")]
    ) { call in
        let arguments = JSONObject([
            ("archived", .flag(call[archived])), ("search", .text(call[search])),
        ])
        try await Work.perform(call, .sessionList, arguments, text: ShownText.session)
    }
}

enum SessionShow {
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")

    static let command = Command(
        "show",
        "Show a session and its members",
        takes: [session],
        examples: [Example("linkstr session show Films", "Prints the session and who is in it")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let arguments: JSONObject = ["session": .string(call[session])]
            try await Work.perform(performer, call, .sessionShow, arguments, text: ShownText.session)
            guard !call.console.usesJSON else { return }
            try await Work.perform(performer, call, .sessionMembers, arguments) { member in
                let mark = member["creator"]?.bool == true ? "  creator" : member["you"]?.bool == true ? "  you" : ""
                return ShownText.member(member).map { "  " + $0 + mark }
            }
        }
    }
}

enum SessionMembers {
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")
    private static let history = Flag("history", "Show when each member was in")
    private static let refresh = Flag("refresh", "Ask the relays what the members call themselves")

    static let command = Command(
        "members",
        "List the members of a session",
        details: [
            "A name in parentheses is what the member calls itself, and anybody can take any. Of members who are no contacts it is not "
                + "known without --refresh: relays that are asked for names learn whom you are interested in."
        ],
        takes: [history, refresh, session],
        examples: [
            Example("linkstr session members Films", "Prints one npub a line"),
            Example("linkstr session members Films --refresh", "Asks the relays for names first"),
            Example("linkstr session members Films --history --json", "Prints the stretches of each membership"),
        ]
    ) { call in
        let arguments = JSONObject([
            ("session", .text(call[session])), ("history", .flag(call[history])), ("refresh", .flag(call[refresh])),
        ])
        try await Work.perform(call, .sessionMembers, arguments, text: ShownText.member)
    }
}

/// Commands that tell a session's members something about it.
enum SessionChange {
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")
    private static let keys = VariadicArgument("KEY", .person, minimum: 1, "Whom")
    private static let name = Argument("NAME", .text, "The new name")

    static let add = Command(
        "add",
        "Add members to a session of yours",
        details: ["They see what is posted from then on."],
        takes: [Confirmation.yes, Strangers.flag, session, keys],
        examples: [Example("linkstr session add Films npub1...", "Asks, and tells all members")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let added = try await performer.keys(call[keys])
            try await change(performer, call, .sessionAdd, [("members", list(added))], letsIn: added.map(\.bytes)) {
                "\(names(added)) will be added to \($0)."
            }
        }
    }

    static let remove = Command(
        "remove",
        "Remove members from a session of yours",
        details: ["They keep what they have and get nothing new."],
        takes: [Confirmation.yes, session, keys],
        examples: [Example("linkstr session remove Films npub1...", "Asks, and tells all members")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let removed = try await performer.keys(call[keys])
            try await change(performer, call, .sessionRemove, [("members", list(removed))]) {
                "\(names(removed)) will be removed from \($0)."
            }
        }
    }

    static let rename = Command(
        "rename",
        "Rename a session of yours",
        takes: [Confirmation.yes, session, name],
        examples: [Example("linkstr session rename Films Series", "Asks, and tells all members")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            try await change(performer, call, .sessionRename, [("name", .text(call[name]))]) {
                "All members learn the name \(TypedText.repeated(call[name])) of \($0)."
            }
        }
    }

    static let delete = Command(
        "delete",
        "Delete a session of yours for everybody",
        details: ["It cannot be taken back."],
        takes: [Confirmation.yes, session],
        examples: [Example("linkstr session delete Films", "Asks, and tells everybody who ever was in it")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            try await change(performer, call, .sessionDelete, []) {
                "The session \($0) with all its posts is deleted for its members, for good."
            }
        }
    }

    /// Asks with the name of the session in the sentence, and does it to that very session.
    private static func change(
        _ performer: any Performer,
        _ call: Invocation,
        _ operation: ClientOperation,
        _ arguments: [(String, JSONValue?)],
        letsIn newcomers: [Bytes32] = [],
        _ sentence: (String) -> String
    ) async throws {
        try await performer.catchUp()
        let found = try await performer.one(.sessionShow, ["session": .string(call[session])])
        let name = (found["name"]?.string ?? found["id"]?.string ?? "").debugDescription
        let count = found["members"]?.integer ?? 0
        let what = sentence("\(name), which has \(count.counted("member"))")
        try Confirmation.require(call, what, and: try await Strangers.missing(call, performer, newcomers))
        try await Strangers.confirm(call, performer, newcomers)
        let all = JSONObject([("session", found["id"])] + arguments)
        try await Work.perform(performer, call, operation, all, text: ShownText.session)
    }

    private static func list(_ keys: [PublicKey]) -> JSONValue {
        .array(keys.map { .string($0.hex) })
    }

    private static func names(_ keys: [PublicKey]) -> String {
        keys.map(\.npub).joined(separator: ", ")
    }
}

/// A command that changes how a session is shown here, and shows it; nothing is sent.
enum SessionMark {
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")

    static func command(
        _ name: String,
        _ summary: String,
        _ example: Example,
        _ operation: ClientOperation
    ) -> Command {
        Command(name, summary, takes: [session], examples: [example]) { call in
            try await Work.perform(
                call,
                operation,
                ["session": .string(call[session])],
                text: ShownText.session
            )
        }
    }
}

/// Where a person puts sessions.
enum SessionShelf {
    static let archive = SessionMark.command(
        "archive",
        "Put a session away",
        Example("linkstr session archive Films", "Lists it no more"),
        .sessionArchive
    )

    static let unarchive = SessionMark.command(
        "unarchive",
        "Bring an archived session back",
        Example("linkstr session unarchive Films", "Lists it again"),
        .sessionUnarchive
    )
}

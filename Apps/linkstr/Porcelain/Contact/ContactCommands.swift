import CommandKit
import LinkstrClient
import NostrContacts
import NostrCrypto
import NostrEvents

enum ContactList {
    private static let search = Option("search", .text, "Only those whose alias, name or npub holds this text")

    static let command = Command(
        "list",
        "List contacts",
        takes: [search],
        examples: [Example("linkstr contact list", "Prints npub, alias and name of each")]
    ) { call in
        try await Work.perform(
            call,
            .contactList,
            JSONObject([("search", .text(call[search]))]),
            text: ShownText.contact
        )
    }
}

/// Commands that publish a follow list.
enum ContactChange {
    private static let alias = Option("alias", .text, "What to call them here, in private")
    private static let firstList = Flag("first-list", "Say that there is no follow list yet")
    private static let allowShrink = Flag("allow-shrink", "Let the list shrink by more than half")
    private static let key = Argument("KEY", .person, "Whom")
    private static let steps = OptionalArgument(
        "N",
        .integer(in: 1...1_000 as ClosedRange<Int>),
        "How many steps back; one if left out"
    )

    static let add = Command(
        "add",
        "Follow somebody",
        details: [
            "The new follow list is public. It is made from the newest one on the relays; --first-list says that there is none."
        ],
        takes: [alias, firstList, allowShrink, Confirmation.yes, key],
        examples: [Example("linkstr contact add npub1... --alias Ben", "Asks, and publishes the list")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let key = try await performer.key(call[key])
            try await change(
                performer,
                call,
                .contactAdd,
                [("key", .text(key.hex)), ("alias", .text(call[alias])), ("first_list", .flag(call[firstList]))],
                "The public follow list of this account will name \(key.npub)."
            )
        }
    }

    static let remove = Command(
        "remove",
        "Follow somebody no longer",
        details: ["Sessions and posts stay; the alias is cleared."],
        takes: [firstList, allowShrink, Confirmation.yes, key],
        examples: [Example("linkstr contact remove npub1...", "Asks, and publishes the list")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let key = try await performer.key(call[key])
            try await change(
                performer,
                call,
                .contactRemove,
                [("key", .text(key.hex)), ("first_list", .flag(call[firstList]))],
                "The public follow list of this account will name \(key.npub) no more."
            ) { known in known.filter { $0["pubkey"]?.string != key.hex }.count }
        }
    }

    static let undo = Command(
        "undo",
        "Publish an earlier follow list again",
        details: ["`linkstr contact history` lists them."],
        takes: [allowShrink, Confirmation.yes, steps],
        examples: [Example("linkstr contact undo", "Asks, and takes the last change back")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let steps = call[steps] ?? 1
            let history = try await performer.perform(.contactHistory, JSONObject())
            let wanted = history.first { $0["steps"]?.integer == Int64(steps) }
            guard let count = wanted?["count"]?.integer else {
                throw ClientError.contacts(history.isEmpty ? .nothingReplaced : .noSuchVersion)
            }
            try await change(
                performer,
                call,
                .contactUndo,
                [("steps", .number(Int64(steps)))],
                "The follow list of \(steps.counted("change")) ago will be published again."
            ) { _ in Int(clamping: count) }
        }
    }

    /// - Parameter remaining: How many the new list has, where it may be much shorter than the known one.
    private static func change(
        _ performer: any Performer,
        _ call: Invocation,
        _ operation: ClientOperation,
        _ arguments: [(String, JSONValue?)],
        _ what: String,
        remaining: (([JSONValue]) -> Int)? = nil
    ) async throws {
        var what = what
        var flags: [Flag] = []
        if let remaining, !call[allowShrink] {
            // The change itself reads the list from the relays.
            let known = try await performer.perform(.contactList, ["known": true])
            let (old, new) = (known.count, remaining(known))
            if new < old - new {
                what += " The list shrinks from \(old) to \(new)."
                flags = [allowShrink]
            }
        }
        try Confirmation.require(call, what, and: flags)
        let all = JSONObject(arguments + [("allow_shrink", .flag(call[allowShrink]))])
        try await Work.perform(performer, call, operation, all) { result in
            result["published"]?.bool == true ? [] : ["nothing was to be changed"]
        }
    }
}

enum ContactAlias {
    private static let key = Argument("KEY", .person, "Whom")
    private static let alias = OptionalArgument("ALIAS", .text, "The name; it is cleared if left out")

    static let command = Command(
        "alias",
        "Call somebody by a name of your own",
        details: ["Only you see it; your other devices learn it through the private preferences."],
        takes: [key, alias],
        examples: [
            Example("linkstr contact alias npub1... Ben", "Calls them Ben"),
            Example("linkstr contact alias npub1...", "Clears the name"),
        ]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let key = try await performer.key(call[key])
            let arguments = JSONObject([("key", .text(key.hex)), ("alias", .text(call[alias]))])
            try await Work.perform(performer, call, .contactAlias, arguments)
        }
    }
}

enum ContactHistory {
    static let command = Command(
        "history",
        "List follow lists that were replaced",
        examples: [Example("linkstr contact history", "Prints one list a line, the newest first")]
    ) { call in
        try await Work.perform(call, .contactHistory) { version in
            func count(_ key: String) -> Int { version[key]?.array?.count ?? 0 }
            let time = ShownText.time(version["created_at"]?.integer)
            return [
                "\(version["steps"]?.integer ?? 0)  \(time)  \(version["count"]?.integer ?? 0) followed; "
                    + "then \(count("added")) came and \(count("removed")) went"
            ]
        }
    }
}

enum ContactDiscover {
    private static let refresh = Flag("refresh", "Ask the relays again")
    private static let more = Flag("more", "Ask for five pages instead of one")

    static let command = Command(
        "discover",
        "Find out who follows you",
        takes: [refresh, more],
        examples: [Example("linkstr contact discover", "Prints one key a line, the newest first")]
    ) { call in
        let arguments = JSONObject([("refresh", .flag(call[refresh])), ("pages", call[more] ? .integer(5) : nil)])
        try await Work.perform(call, .contactDiscover, arguments) { follower in
            let mark = follower["contact"]?.bool == true ? "  contact" : ""
            return ShownText.contact(follower).map { $0 + mark }
        }
    }
}

enum ProfileShow {
    private static let key = OptionalArgument("KEY", .person, "Whose; your own if left out")

    static let command = Command(
        "show",
        "Show what somebody calls themselves",
        takes: [key],
        examples: [Example("linkstr profile show npub1...", "Asks the relays and prints the name")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            var arguments = JSONObject()
            if let key = call[key] { arguments["key"] = .string(try await performer.key(key).hex) }
            try await Work.perform(performer, call, .profileShow, arguments, text: ShownText.contact)
        }
    }
}

enum ProfileSet {
    private static let name = Option("name", .text, "At most 80 characters; the name is removed if left out")

    static let command = Command(
        "set",
        "Publish your name",
        details: [
            "The name is public. What else the profile holds stays as it is. An account that has no name on this device gets it here too."
        ],
        takes: [name],
        examples: [Example("linkstr profile set --name Ann", "Tells everybody")]
    ) { call in
        let arguments = JSONObject([("name", .text(call[name]))])
        try await Work.perform(call, .profileSet, arguments, text: ShownText.contact)
        // A daemon has done this by itself.
        let account = try Work.account(call)
        guard let name = call[name], account.name == nil, !call[GlobalOptions.temporary] else { return }
        try await Work.withHome(call) { _ = try $0.nameIfNameless(account.key, name) }
    }
}

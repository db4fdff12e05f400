import NostrContacts
import NostrCrypto
import NostrEvents

extension ClientOperation {
    static let contactOperations: [ClientOperation] = [
        contactList, contactAdd, contactRemove, contactAlias, contactHistory, contactUndo, contactDiscover,
        contactNames, contactFind,
        profileShow, profileSet,
    ]

    private static let key = OperationField("key", .hex, "A public key")
    private static let firstList = OperationField(
        "first_list",
        .bool,
        optional: true,
        "Says that there is no follow list yet, so that nothing can be lost"
    )
    private static let allowShrink = OperationField(
        "allow_shrink",
        .bool,
        optional: true,
        "Says that the list may shrink by more than half"
    )
    private static let changed = [OperationField("published", .bool, "Whether a new follow list was published")]

    /// Whom the account follows.
    public static let contactList = ClientOperation(
        "contact.list",
        "List contacts",
        takes: [
            OperationField("search", .text, optional: true, "Only those whose alias, name or npub holds this text"),
            OperationField(
                "known",
                .bool,
                optional: true,
                "Says that what is known here is enough, so that nothing is said of a list that was not read yet"
            ),
        ],
        gives: Contact.fields
    ) { call in
        let list = await call.runtime.contacts()
        if !list.isKnown, !call.flag("known") {
            call.warn("the follow list has not been read from the relays yet; this is what is known here")
        }
        let wanted = call.optionalText("search")?.lowercased()
        return list.contacts.filter { contact in
            guard let wanted else { return true }
            let texts = [contact.alias, contact.publishedName, contact.key.npub]
            return texts.contains { $0?.lowercased().contains(wanted) ?? false }
        }.map(\.value)
    }

    /// Follows somebody.
    public static let contactAdd = ClientOperation(
        "contact.add",
        "Follow somebody",
        sends: true,
        takes: [key, OperationField("alias", .text, optional: true, "What to call them here"), firstList, allowShrink],
        gives: changed
    ) { call in
        let isNew = try await call.runtime.addContact(
            try call.key("key"),
            alias: call.optionalText("alias"),
            confirming: call.confirmations
        )
        return [["published": .bool(isNew)]]
    }

    /// Follows somebody no longer.
    public static let contactRemove = ClientOperation(
        "contact.remove",
        "Follow somebody no longer",
        sends: true,
        takes: [key, firstList, allowShrink],
        gives: changed
    ) { call in
        [
            [
                "published": .bool(
                    try await call.runtime.removeContact(try call.key("key"), confirming: call.confirmations)
                )
            ]
        ]
    }

    /// What the person calls somebody.
    public static let contactAlias = ClientOperation(
        "contact.alias",
        "Call somebody by a name of one's own; without one the name is cleared",
        takes: [key, OperationField("alias", .text, optional: true, "The name")]
    ) { call in
        try await call.runtime.setAlias(call.optionalText("alias"), of: try call.key("key"))
        return []
    }

    /// Follow lists that were replaced.
    public static let contactHistory = ClientOperation(
        "contact.history",
        "List follow lists that were replaced and are kept here",
        gives: [
            OperationField("steps", .integer, "How many steps back it is"),
            OperationField("created_at", .integer, "When it was made, in seconds since 1970"),
            OperationField("count", .integer, "How many it follows"),
            OperationField("added", .list(.hex), "Whom the list after it has and it has not"),
            OperationField("removed", .list(.hex), "Whom it has and the list after it has not"),
        ]
    ) { call in
        await call.runtime.contactHistory().map { version in
            [
                "steps": .integer(Int64(version.stepsBack)), "created_at": .integer(version.createdAt),
                "count": .integer(Int64(version.count)), "added": .array(version.addedAfter.map { .string($0.hex) }),
                "removed": .array(version.removedAfter.map { .string($0.hex) }),
            ]
        }
    }

    /// Publishes an earlier follow list again.
    public static let contactUndo = ClientOperation(
        "contact.undo",
        "Publish an earlier follow list again",
        sends: true,
        takes: [OperationField("steps", .integer, optional: true, "How many steps back; one without it"), allowShrink],
        gives: changed
    ) { call in
        let steps = Int(clamping: call.integer("steps") ?? 1)
        guard steps >= 1 else { throw OperationFailure(.usage, "the number of steps is 1 or more") }
        return [["published": .bool(try await call.runtime.undoContacts(steps, confirming: call.confirmations))]]
    }

    /// Who follows the account.
    public static let contactDiscover = ClientOperation(
        "contact.discover",
        "Find out who follows the account",
        takes: [
            OperationField("refresh", .bool, optional: true, "Ask the relays, not only what is known here"),
            OperationField("pages", .integer, optional: true, "How many pages of 200 lists; one without it"),
        ],
        gives: Contact.fields + [
            OperationField("since", .integer, "When their newest list was made, in seconds since 1970"),
            OperationField("contact", .bool, "Whether the account follows them"),
        ]
    ) { call in
        var followers = await call.runtime.followersKnown()
        if call.flag("refresh") || call.integer("pages") != nil || followers.isEmpty {
            let list = try await call.runtime.discoverFollowers(pages: Int(clamping: call.integer("pages") ?? 1))
            if list.isPartial { call.warn("not every relay was asked to its end; there may be more") }
            followers = list.followers
            if list.canLoadMore { call.warn("there are more; ask for more pages") }
        }
        await call.lookUp(followers.map(\.key))
        var values: [JSONValue] = []
        for follower in followers {
            var object = await call.named(follower.key)
            object["since"] = .integer(follower.since)
            object["contact"] = .bool(follower.isContact)
            values.append(.object(object))
        }
        return values
    }

    /// What is known of some keys.
    public static let contactNames = ClientOperation(
        "contact.names",
        "Say what keys are called, and whether they are contacts",
        takes: [OperationField("keys", .list(.hex), "Public keys")],
        gives: Contact.fields + [OperationField("contact", .bool, "Whether the account follows them, or is it")]
    ) { call in
        let keys = try call.keys("keys").map(\.bytes)
        await call.lookUp(keys)
        var values: [JSONValue] = []
        for key in keys {
            var object = await call.named(key)
            let isOwn = key == call.runtime.account
            let isContact = await call.runtime.isContact(key)
            object["contact"] = .bool(isOwn || isContact)
            values.append(.object(object))
        }
        return values
    }

    /// Whom an alias means.
    public static let contactFind = ClientOperation(
        "contact.find",
        "Find whom an alias of the account's own means",
        takes: [OperationField("alias", .text, "What the person calls them; also somebody who is no contact")],
        gives: Contact.fields
    ) { call in
        [.object(await call.named(try await call.runtime.key(called: call.text("alias"))))]
    }

    /// What somebody calls themselves.
    public static let profileShow = ClientOperation(
        "profile.show",
        "Show what somebody calls themselves",
        takes: [OperationField("key", .hex, optional: true, "Whose; the account's own without it")],
        gives: Contact.fields
    ) { call in
        let key = try call.optionalText("key") == nil ? call.runtime.account : call.key("key").bytes
        try await call.runtime.lookUpNames(of: [key], isForced: true)
        return [.object(await call.named(key))]
    }

    /// Sets the own name.
    public static let profileSet = ClientOperation(
        "profile.set",
        "Publish the account's name; without one it is removed",
        sends: true,
        takes: [
            OperationField("name", .text, optional: true, "At most 80 characters"),
            OperationField("first", .bool, optional: true, "Says that the key is new, so that no profile can be lost"),
        ],
        gives: Contact.fields
    ) { call in
        try await call.runtime.setProfile(name: call.optionalText("name"), isFirst: call.flag("first"))
        return [.object(await call.named(call.runtime.account))]
    }
}

extension OperationCall {
    fileprivate var confirmations: FollowListEditor.Confirmation {
        var all: FollowListEditor.Confirmation = []
        if flag("first_list") { all.insert(.firstList) }
        if flag("allow_shrink") { all.insert(.shrink) }
        return all
    }

    /// Looks names up that are not known; that it does not work is nobody's problem.
    func lookUp(_ keys: [Bytes32]) async {
        guard !keys.isEmpty else { return }
        _ = try? await runtime.lookUpNames(of: keys)
    }

    fileprivate func named(_ key: Bytes32) async -> JSONObject {
        let (alias, name) = (await runtime.alias(of: key), await runtime.publishedName(of: key))
        return [
            "pubkey": .string(key.hex), "npub": (try? PublicKey(key).npub).map { .string($0) } ?? .null,
            "alias": alias.map { .string($0) } ?? .null, "name": name.map { .string($0) } ?? .null,
        ]
    }
}

extension Contact {
    static let fields = [
        OperationField("pubkey", .hex, "Public key"),
        OperationField("npub", .text, optional: true, "The same as npub"),
        OperationField("alias", .text, optional: true, "What the person calls them"),
        OperationField("name", .text, optional: true, "What they call themselves"),
    ]

    var value: JSONValue {
        [
            "pubkey": .string(key.hex), "npub": .string(key.npub), "alias": alias.map { .string($0) } ?? .null,
            "name": (publishedName ?? petname).map { .string($0) } ?? .null,
        ]
    }
}

import CommandKit

/// Every command, in the order in which the help lists them. A command is a file of its own; this is the one place
/// where it is entered.
enum Commands {
    static let all: [Command] =
        section("Accounts and relays", accounts) + section("Sessions and posts", sessions)
        + section("Contacts", contacts) + section("Settings and storage", settings)
        + section("Plumbing (no account needed)", plumbing) + section("Help", help)

    private static let accounts = [
        Command(
            group: "account",
            "The accounts of this device",
            [
                AccountNew.command, AccountImport.command, AccountList.command, AccountUse.command, AccountShow.command,
                AccountExport.command, AccountLock.command, AccountUnlock.command,
                AccountLogout.command, AccountDelete.command,
            ]
        ),
        QR.command, Export.command, Import.command,
        Command(
            group: "relay",
            "The relays of this device, and the one that is built in",
            [
                RelayConfiguration.list, RelayConfiguration.add, RelayConfiguration.remove, RelayConfiguration.enable,
                RelayConfiguration.disable, RelayConfiguration.reset, RelayInfo.command, RelayTest.command,
                RelayServe.command,
            ]
        ),
    ]

    private static let sessions = [
        Command(
            group: "session",
            "Private sessions",
            [
                SessionNew.command, SessionList.command, SessionShow.command, SessionMembers.command, SessionChange.add,
                SessionChange.remove, SessionChange.rename, SessionShelf.archive, SessionShelf.unarchive,
                SessionChange.delete, SessionRequests.list, SessionRequests.accept, SessionRequests.decline,
                SessionRequests.block, SessionRequests.creator, SessionReplay.command,
            ]
        ),
        PostLink.command.with([PostShow.command, PostOpen.command, PostDelete.command]), Feed.command, React.command,
        Read.command,
        ShareURL.command, OpenURL.command, Sync.command, Watch.command,
    ]

    private static let contacts = [
        Command(
            group: "contact",
            "The people you follow, and what you call them",
            [
                ContactList.command, ContactChange.add, ContactChange.remove, ContactAlias.command,
                ContactHistory.command, ContactChange.undo, ContactDiscover.command,
            ]
        ),
        Chat.command.with([Chat.list, Chat.accept, Chat.relays]),
        Command(group: "profile", "What people call themselves", [ProfileShow.command, ProfileSet.command]),
    ]

    private static let settings = [
        Status.command, Doctor.command,
        Command(
            group: "config",
            "The settings of the account and of this device",
            [Config.list, Config.get, Config.set, Config.unset]
        ),
        Command(
            group: "backup",
            "Private preferences on relays",
            [Backup.status, Backup.push, Backup.pull]
        ),
        Command(
            group: "push",
            "Waking phones through a push service",
            [PushDevices.register, PushDevices.unregister, PushDevices.status, PushDevices.test]
        ),
        Command(group: "storage", "What is kept of links", [Storage.show, Storage.clear]),
    ]

    private static let plumbing = [
        Command(
            group: "key",
            "Secret and public keys",
            [
                KeyGenerate.command, KeyPublic.command, KeyEncrypt.command, KeyDecrypt.command, KeyWords.command,
                KeyFromWords.command,
            ]
        ),
        Command(
            group: "encode",
            "Write keys, events and addresses as people pass them on (NIP-19, NIP-21)",
            [
                EncodeNpub.command, EncodeNsec.command, EncodeNote.command, EncodeNprofile.command,
                EncodeNevent.command, EncodeNaddr.command,
            ]
        ),
        Decode.command,
        Command(
            group: "event",
            "Make, sign and check events",
            [EventNew.command, EventVerify.command, EventIdentify.command, EventSign.command]
        ),
        Command(
            group: "nip44",
            "Encrypt and decrypt texts between two keys (NIP-44)",
            [NIP44Encrypt.command, NIP44Decrypt.command]
        ),
        Wrap.command, Unwrap.command, ChatDecode.command,
        Command(
            group: "follow-list",
            "Follow lists as events (NIP-02)",
            [FollowListDecode.command, FollowListDiff.command, FollowListMerge.command]
        ),
        Command(
            group: "prefs",
            "Private preferences as events (NIP-78)",
            [PreferencesEncode.command, PreferencesDecode.command]
        ),
        Req.command, Publish.command, Count.command,
        Command(group: "url", "Links", [URLClassify.command, URLMetadata.command]),
        Reconcile.command,
        Command(
            group: "store",
            "Event databases",
            [StoreImport.command, StoreExport.command, StoreStats.command, StoreCheck.command]
        ),
    ]

    private static let help = [
        StandardCommands.completion(of: "linkstr"),
        StandardCommands.manual(of: "linkstr"),
    ]

    private static func section(_ name: String, _ commands: [Command]) -> [Command] {
        commands.map { $0.listed(under: name) }
    }
}

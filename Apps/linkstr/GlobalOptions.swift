import CommandKit

/// Options that stand before or after any command.
enum GlobalOptions {
    static let home = Option(
        "home",
        .directory,
        environment: "LINKSTR_HOME",
        "Keep everything in DIR instead of the XDG directories"
    )
    static let account = Option(
        "account",
        .text,
        placeholder: "NPUB|NAME",
        environment: "LINKSTR_ACCOUNT",
        "The account to work with"
    )
    static let timeout = Option(
        "timeout",
        .seconds,
        "Give up waiting for the network after SECONDS, each for catching up and for what is asked"
    )

    static let temporary = Flag(
        "temporary",
        "Begin with an empty account in memory, for this run only; works where its database cannot be opened"
    )

    static let all: [any Parameter] = [home, account, timeout, temporary]
}

/// What the manual page says beside the commands.
enum ManualNotes {
    static let all: [(heading: String, paragraphs: [String])] = [
        (
            "Exit status",
            ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)." }
        ),
        (
            "Keys",
            [
                "KEY is a public key as npub, nprofile, nostr: link or in hexadecimal, or a text that holds one. A command that works with "
                    + "an account also takes an alias, as linkstr contact list shows it; a text with the form of a key is a key."
            ]
        ),
        (
            "Secrets",
            [
                "SEC is a secret key in hexadecimal, as nsec or as ncryptsec, or @FILE to read one of them from a file. "
                    + "A file of a secret or a passphrase that is open to others than its owner is refused. Other processes of this machine can see what stands on a command line; @FILE and the "
                    + "environment variable LINKSTR_SECRET keep it from them."
            ]
        ),
        (
            "Environment",
            [
                "LINKSTR_SECRET stands in for --sec, LINKSTR_HOME for --home, LINKSTR_ACCOUNT for --account.",
                "NO_COLOR turns colours off.",
            ]
        ),
    ]
}

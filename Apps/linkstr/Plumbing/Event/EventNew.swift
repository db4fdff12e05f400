import CommandKit
import NostrCrypto
import NostrEvents

enum EventNew {
    private static let kind = RequiredOption("kind", short: "k", .kind, "The kind")
    private static let content = DefaultedOption(
        "content",
        short: "c",
        .text,
        default: "",
        "The content; - reads standard input, without the line feed at its end"
    )
    private static let tags = RepeatedOption("tag", short: "t", .tag, "A tag")
    private static let createdAt = Option("created-at", .time, "Seconds since 1970, now unless given")
    private static let work = Option(
        "pow",
        .integer(in: 0...256 as ClosedRange<Int>),
        placeholder: "BITS",
        "Search for an id with BITS leading zero bits (NIP-13); each more doubles the time"
    )

    static let command = Command(
        "new",
        "Make and sign an event",
        details: [
            "A tag is its name, an equals sign and its value, with further elements behind semicolons: "
                + "e=ID;wss://relay.example.com. A backslash takes the next character as it is. A tag that begins with "
                + "a bracket is read as a JSON array of strings.",
            Secret.help,
        ],
        takes: [kind, content, tags, createdAt, work, Secret.option, Passphrase.file],
        examples: [
            Example("linkstr event new --kind 1 --content hello --sec @me.key", "Prints a signed note"),
            Example(
                "linkstr event new --kind 1 --content - --tag t=nostr --pow 20 --sec @me.key < note.txt",
                "Reads the content from a file, adds a tag and searches for an id with 20 zero bits"
            ),
        ]
    ) { call in
        let keyPair = KeyPair(try Secret.key(call[Secret.option], call))
        var text = call[content]
        if text == "-" { text = try LineStream(call, of: "the content").text() }
        var rumor = Rumor(
            pubkey: keyPair.publicKey.bytes,
            kind: call[kind],
            content: text,
            tags: call[tags],
            createdAt: call[createdAt] ?? Clock.now
        )
        if let bits = call[work] { rumor = try await mine(rumor, bits, call.console) }
        let event = try Event(signing: rumor, with: keyPair)
        // What is printed can be read again: an event that is too large is refused here.
        _ = try WireEvent(json: event.json, limits: .local)
        try call.console.output.line(json: event.json)
    }

    private static func mine(_ rumor: Rumor, _ bits: Int, _ console: Console) async throws -> Rumor {
        let expected = bits < 62 ? 1 << bits : Int.max
        let progress = Progress(console, "ids", total: expected)
        defer { progress.finish() }
        return try await Interruption.cancelling {
            try await ProofOfWork.mine(rumor, difficulty: bits) { progress.update(Int(clamping: $0.attempts)) }
        }
    }
}

import CommandKit
import NostrCrypto
import NostrEvents

enum EncodeNevent {
    private static let author = Option("author", .publicKey, "Who wrote the event")
    private static let kind = Option("kind", .kind, "The event's kind")
    private static let ids = VariadicArgument("ID", .text, minimum: 1, "An event id; - reads lines")

    static let command = Command(
        "nevent",
        "Write an event id with relays, author and kind as nevent",
        takes: [Encoding.relays, author, kind, Encoding.uri, ids],
        examples: [
            Example(
                "linkstr encode nevent --relay wss://relay.example.com --kind 1 note1...",
                "Prints nevent1... with a relay and the kind"
            )
        ]
    ) { call in
        try Encoding.run(call, call[ids]) { text in
            .nevent(
                EventReference(
                    id: try Conversion.eventID.convert(text),
                    relays: call[Encoding.relays],
                    author: call[author]?.bytes,
                    kind: call[kind]
                )
            )
        }
    }
}

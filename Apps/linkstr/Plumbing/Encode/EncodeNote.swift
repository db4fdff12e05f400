import CommandKit
import NostrEvents

enum EncodeNote {
    private static let ids = VariadicArgument("ID", .text, minimum: 1, "An event id; - reads lines")

    static let command = Command(
        "note",
        "Write an event id as note",
        takes: [Encoding.uri, ids],
        examples: [
            Example("linkstr event id < event.json | linkstr encode note -", "Prints note1... for each event"),
            Example(
                "linkstr encode note --uri 3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
                "Prints nostr:note1..."
            ),
        ]
    ) { call in
        try Encoding.run(call, call[ids]) { .note(try Conversion.eventID.convert($0)) }
    }
}

import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// Direct messages (NIP-17), which other clients read too.
enum Chat {
    private static let key = Argument("KEY", .person, "Whom to talk to")
    private static let text = OptionalArgument(
        "TEXT",
        .text,
        "What to say; - reads it; the messages are shown if left out"
    )
    private static let limit = DefaultedOption(
        "limit",
        .integer(in: 1...10_000 as ClosedRange<Int>),
        default: 50,
        "The newest so many"
    )
    private static let requests = Flag("requests", "Those of people who are no contacts, which wait for a word")
    private static let off = Flag("decline", "Hide it instead")
    private static let urls = VariadicArgument("URL", .text, minimum: 0, "Publish these relays, one to three")

    static let command = Command(
        "chat",
        "Read and write direct messages",
        details: [
            "Messages go to the relays that the other side has named for them; who has named none cannot be written to. Reading marks "
                + "as read."
        ],
        takes: [limit, key, text],
        examples: [
            Example("linkstr chat npub1... 'see you at eight'", "Sends a message"),
            Example("linkstr chat npub1...", "Shows what was said"),
        ]
    ) { call in
        guard let given = call[text] else {
            try await Work.withPerformer(call) { performer in
                let arguments = try await people(performer, call, ["limit": .integer(Int64(call[limit]))])
                try await Work.perform(performer, call, .chatShow, arguments, text: ShownText.message)
            }
            return
        }
        let said = given == "-" ? try StandardText.read() : given
        guard !said.isEmpty else { throw CommandFailure(.badInput, "there is nothing to say") }
        try await Work.withPerformer(call) { performer in
            let arguments = try await people(performer, call, ["text": .string(said)])
            try await performer.catchUp()
            try await Work.perform(performer, call, .chatSend, arguments, tryingAgain: true) {
                [$0["id"]?.string ?? ""]
            }
        }
    }

    /// The arguments of an operation, with whom the chat is.
    private static func people(
        _ performer: any Performer,
        _ call: Invocation,
        _ others: JSONObject = JSONObject()
    ) async throws -> JSONObject {
        var arguments = others
        arguments["people"] = .array([.string(try await performer.key(call[key]).hex)])
        return arguments
    }

    static let list = Command(
        "list",
        "List chats, newest message first",
        takes: [requests],
        examples: [Example("linkstr chat list", "Prints who is in each and how much is unread")]
    ) { call in
        let own = JSONValue.string(try Work.account(call).key.hex)
        try await Work.perform(call, .chatList, JSONObject([("waiting", .flag(call[requests]))])) { chat in
            let all = chat["people"]?.array ?? []
            let others = all.filter { $0 != own }
            // A chat with nobody else is a note to oneself.
            let people = (others.isEmpty ? all : others).map { ShownText.npub($0) }.joined(separator: ", ")
            let unread = chat["unread"]?.integer ?? 0
            return [people + (unread > 0 ? "  (\(unread) unread)" : "")]
        }
    }

    static let accept = Command(
        "accept",
        "Accept a chat by somebody who is no contact",
        takes: [off, key],
        examples: [
            Example("linkstr chat accept npub1...", "Lists it like any other"),
            Example("linkstr chat accept npub1... --decline", "Hides it"),
        ]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let arguments = try await people(performer, call)
            try await Work.perform(performer, call, call[off] ? .chatDecline : .chatAccept, arguments)
        }
    }

    static let relays = Command(
        "relays",
        "Show or publish where you receive messages",
        takes: [urls],
        examples: [
            Example("linkstr chat relays", "Prints what is published"),
            Example("linkstr chat relays wss://relay.example.com", "Publishes it"),
        ]
    ) { call in
        let texts = call[urls].map { JSONValue.string($0) }
        let arguments = JSONObject([("relays", texts.isEmpty ? nil : .array(texts))])
        try await Work.perform(call, .chatRelays, arguments) { [TerminalText.safe($0["relay"]?.string ?? "")] }
    }
}

/// A text of standard input, as a whole.
enum StandardText {
    /// - Throws: ``CommandFailure`` for more than 64 KiB, and for what is not UTF-8: nothing is sent that nobody wrote.
    static func read() throws -> String {
        var text: [UInt8] = []
        let reader = LineReader(limit: 64 * 1024)
        while let line = try reader.next() {
            guard let bytes = line.bytes, text.count + bytes.count < 64 * 1024 else {
                throw CommandFailure(.badInput, "the text is longer than 64 KiB")
            }
            text += (text.isEmpty ? [] : [UInt8(ascii: "\n")]) + bytes
        }
        guard let whole = String(validating: text, as: UTF8.self) else {
            throw CommandFailure(.badInput, "standard input is not UTF-8 text")
        }
        return whole
    }
}

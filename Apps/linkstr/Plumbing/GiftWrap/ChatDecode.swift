import CommandKit
import NostrCrypto
import NostrEvents
import NostrGiftWrap

enum ChatDecode {
    static let command = Command(
        "chat-decode",
        "Show what chat messages say (NIP-17)",
        details: [
            "Reads the JSON lines of unwrap, or rumors, and prints a line for each: id, sender, room (everybody in it), "
                + "created_at, type (text, file, reaction or deletion), content, parent (the message it answers), subject, "
                + "targets (the messages a reaction or deletion is about) and file. What a message does not have is null.",
            "A rumor that was not unwrapped proves nothing about its author.",
        ],
        examples: [
            Example("linkstr unwrap --sec @me.key < wraps.jsonl | linkstr chat-decode", "Prints the messages of chats")
        ]
    ) { call in
        let output = call.console.output
        try LineStream(call, of: "rumors as JSON lines").forEach { bytes in
            try output.line(json(ChatMessage(rumor(bytes))))
        }
    }

    private static func rumor(_ bytes: [UInt8]) throws -> Rumor {
        let limits = JSONLimits(size: LineReader.defaultLimit, allowsDuplicateKeys: true)
        let line = try JSONValue(json: bytes, limits: limits)
        guard let inner = line["rumor"] else { return try Rumor(json: bytes, limits: .local) }
        let rumor = try Rumor(json: inner.json, limits: .local)
        guard line["sender"]?.string == rumor.pubkey.hex else {
            throw CommandFailure(.badInput, "the rumor is not by the sender")
        }
        return rumor
    }

    private static func json(_ message: ChatMessage) -> JSON {
        let type: String
        var content: String?
        var targets: [EventID]?
        var file: EncryptedFile?
        switch message.body {
        case .text(let text): (type, content) = ("text", text)
        case .file(let one): (type, file) = ("file", one)
        case .reaction(let emoji, let target): (type, content, targets) = ("reaction", emoji, [target])
        case .deletion(let all): (type, targets) = ("deletion", all)
        }
        return [
            "id": .string(message.id.hex), "sender": .string(message.sender.hex),
            "room": .array(message.room.participants.map { .string($0.hex) }),
            "created_at": .integer(message.createdAt),
            "type": .string(type), "content": .string(content), "parent": .string(message.parent?.hex),
            "subject": .string(message.subject), "targets": targets.map { .array($0.map { .string($0.hex) }) } ?? .null,
            "file": file.map(json) ?? .null,
        ]
    }

    private static func json(_ file: EncryptedFile) -> JSON {
        [
            "url": .string(file.url), "type": .string(file.type), "key": .string(Hex.encode(file.key)),
            "nonce": .string(Hex.encode(file.nonce)), "x": .string(file.digest.hex), "size": .integer(file.size),
        ]
    }
}

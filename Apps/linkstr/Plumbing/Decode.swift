import CommandKit
import NostrCrypto
import NostrEvents

enum Decode {
    private static let texts = VariadicArgument("STRING", .text, minimum: 1, "What to decode; - reads lines")

    static let command = Command(
        "decode",
        "Show what npub, nsec, note, nprofile, nevent, naddr, ncryptsec and nostr: links hold, as JSON",
        details: [
            "Members: type, and by type pubkey and relays (npub, nprofile), secret and pubkey (nsec), id, relays, author "
                + "and kind (note, nevent), identifier, author, kind and relays (naddr), log_n (ncryptsec)."
        ],
        takes: [texts],
        examples: [
            Example("linkstr decode npub1...", "Prints {\"type\":\"npub\",\"pubkey\":...}"),
            Example("linkstr decode - < links.txt", "Decodes every line"),
        ]
    ) { call in
        try Texts.convert(call[texts], call, of: "what to decode", read: json) { try call.console.output.line($0) }
    }

    private static func json(_ text: String) throws -> JSON {
        let text = text.trimmingSpaces
        if text.prefix(10).lowercased() == "ncryptsec1" {
            return ["type": "ncryptsec", "log_n": .integer(try NIP49.logN(of: text))]
        }
        let identifier = try NIP19(anyForm: text)
        var members: [(name: String, value: JSON)] = [(name: "type", value: .string(identifier.typeName))]
        switch identifier {
        case .npub(let key):
            members += [("pubkey", .string(key.hex))]
        case .nsec(let key):
            members += [
                ("secret", .string(KeyOutput.hex(key))), ("pubkey", .string(key.publicKey.hex)),
            ]
        case .note(let id):
            members += [("id", .string(id.hex))]
        case .nprofile(let profile):
            members += [("pubkey", .string(profile.publicKey.hex)), relays(profile.relays)]
        case .nevent(let event):
            members += [
                ("id", .string(event.id.hex)), relays(event.relays), ("author", .string(event.author?.hex)),
                ("kind", .integer(event.kind?.rawValue)),
            ]
        case .naddr(let address):
            members += [
                ("identifier", .string(address.identifier)), ("author", .string(address.author.hex)),
                ("kind", .integer(Int64(address.kind.rawValue))), relays(address.relays),
            ]
        }
        return .object(members)
    }

    private static func relays(_ urls: [String]) -> (name: String, value: JSON) {
        ("relays", .array(urls.map(JSON.string)))
    }
}

extension String {
    /// Without ASCII white space around it.
    var trimmingSpaces: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
        let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}

import NostrCrypto
import NostrEvents

/// `Testing` has a `Tag` as well.
typealias Tag = NostrEvents.Tag

/// A key pair that is the same in every run.
func keyPair(_ number: UInt8 = 1) throws -> KeyPair {
    KeyPair(try SecretKey(bytes: [UInt8](repeating: number, count: 32)))
}

/// The serialisation of NIP-01 written a second time, scalar by scalar, to compare with.
func referenceSerialisation(
    pubkey: String,
    createdAt: Int64,
    kind: UInt16,
    tags: [[String]],
    content: String
) -> String {
    func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: result += "\\n"
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0D: result += "\\r"
            case 0x09: result += "\\t"
            case 0x08: result += "\\b"
            case 0x0C: result += "\\f"
            case 0..<0x10: result += "\\u000" + String(scalar.value, radix: 16)
            case 0x10..<0x20: result += "\\u00" + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
    let tagText = tags.map { "[" + $0.map(quoted).joined(separator: ",") + "]" }.joined(separator: ",")
    return "[0,\"\(pubkey)\",\(createdAt),\(kind),[\(tagText)],\(quoted(content))]"
}

/// The fields of a signed event as JSON texts, to be put together in any order and with anything changed.
struct EventText {
    var fields: [(key: String, value: String)]

    /// A signed note whose content and tags need escapes.
    init() throws {
        let event = Event(
            kind: .textNote,
            content: "first line\nsecond \"line\" \\ ü 🙂 \u{1}",
            tags: [Tag("e", String(repeating: "ab", count: 32), "wss://relay.example"), Tag("-"), Tag("t", "")],
            createdAt: 1_700_000_000,
            signedBy: try keyPair()
        )
        let rumor = try Rumor(signed: event)
        fields = [
            ("\"id\"", "\"\(event.id)\""),
            ("\"pubkey\"", "\"\(event.pubkey)\""),
            ("\"created_at\"", "\(event.createdAt)"),
            ("\"kind\"", "\(event.kind)"),
            ("\"tags\"", "[" + rumor.tags.map(\.description).joined(separator: ",") + "]"),
            ("\"content\"", #""first line\nsecond \"line\" \\ ü 🙂 \u0001""#),
            ("\"sig\"", "\"\(event.signature)\""),
        ]
    }

    var text: String {
        "{" + fields.map { "\($0.key):\($0.value)" }.joined(separator: ",") + "}"
    }

    func with(_ key: String, _ value: String) -> EventText {
        var copy = self
        for index in copy.fields.indices where copy.fields[index].key == "\"\(key)\"" {
            copy.fields[index].value = value
        }
        return copy
    }

    func without(_ key: String) -> EventText {
        var copy = self
        copy.fields.removeAll { $0.key == "\"\(key)\"" }
        return copy
    }

    func adding(_ key: String, _ value: String) -> EventText {
        var copy = self
        copy.fields.append(("\"\(key)\"", value))
        return copy
    }
}

extension Rumor {
    /// What a signed event says, without the signature.
    fileprivate init(signed event: Event) throws {
        self.init(
            pubkey: event.pubkey,
            kind: event.kind,
            content: event.content,
            tags: Array(event.tags),
            createdAt: event.createdAt
        )
    }
}

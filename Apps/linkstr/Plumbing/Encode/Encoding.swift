import CommandKit
import NostrEvents

/// What the encode commands share.
enum Encoding {
    static let uri = Flag("uri", "Put nostr: before it (NIP-21)")
    static let relays = RepeatedOption("relay", .text, placeholder: "URL", "A relay where it is found")

    /// Prints each of the values, or each line of standard input for a single `-`.
    static func run(_ call: Invocation, _ values: [String], _ read: (String) throws -> NIP19) throws {
        try Texts.convert(values, call, of: "what to encode", read: read) { try print($0, call) }
    }

    static func print(_ identifier: NIP19, _ call: Invocation) throws {
        let text = try call[uri] ? identifier.uri() : identifier.encoded()
        if call.console.usesJSON {
            try call.console.output.line(["type": .string(identifier.typeName), "encoded": .string(text)])
        } else {
            try call.console.output.line(text)
        }
    }
}

extension NIP19 {
    /// The prefix of the text.
    var typeName: String {
        switch self {
        case .npub: "npub"
        case .nsec: "nsec"
        case .note: "note"
        case .nprofile: "nprofile"
        case .nevent: "nevent"
        case .naddr: "naddr"
        }
    }
}

import CommandKit
import NostrCrypto
import NostrEvents

extension Conversion where Value == PublicKey {
    /// A public key in any form that a person types.
    static var publicKey: Conversion { Conversion("KEY") { try PublicKey(typed: $0) } }
}

extension Conversion where Value == EventID {
    /// An event id in hexadecimal, as note or as nevent, with or without `nostr:`.
    static var eventID: Conversion {
        Conversion("ID") { text in
            if let id = try? EventID(hex: text) { return id }
            switch try? NIP19(anyForm: text) {
            case .note(let id): return id
            case .nevent(let reference): return reference.id
            default:
                throw CommandFailure(.badInput, "the text is no event id; type 64 hexadecimal digits, a note or nevent")
            }
        }
    }
}

extension Conversion where Value == Int64 {
    /// Seconds since 1970, as far as JSON numbers are exact.
    static var time: Conversion { .integer(in: 0...9_007_199_254_740_991, placeholder: "T") }
}

extension Conversion where Value == Kind {
    /// A kind, 0 to 65535.
    static var kind: Conversion {
        let number = Conversion<UInt16>.integer(in: 0...65_535, placeholder: "K")
        return Conversion(number.placeholder) { Kind(rawValue: try number.convert($0)) }
    }
}

extension Conversion where Value == Tag {
    /// `n=v` with more elements behind semicolons, or a JSON array of strings.
    static var tag: Conversion {
        Conversion("n=v[;v]") { text in
            if text.hasPrefix("[") { return try TagText.json(text) }
            return TagText.elements(text)
        }
    }
}

extension NIP19 {
    /// Reads the text with or without `nostr:` before it.
    init(anyForm text: String) throws(EventError) {
        if text.prefix(6).lowercased() == "nostr:" {
            self = try NIP19(uri: text)
        } else {
            self = try NIP19(text)
        }
    }
}

/// How a tag is typed.
enum TagText {
    /// `name=value;value;...`; a backslash takes the next character as it is. Without an equals sign the tag has its
    /// name alone.
    static func elements(_ text: String) -> Tag {
        var name: String?
        var rest: [String] = []
        var element = ""
        var isEscaped = false
        // By scalars: with a combining mark behind it, an equals sign is another character.
        for scalar in text.unicodeScalars {
            if isEscaped {
                element.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if name == nil, scalar == "=" {
                name = element
                element = ""
            } else if name != nil, scalar == ";" {
                rest.append(element)
                element = ""
            } else {
                element.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { element.append("\\") }
        guard let name else { return Tag(element) }
        return Tag(elements: [name] + rest + [element]) ?? Tag(name)
    }

    /// `["name","value",...]`
    static func json(_ text: String) throws(CommandFailure) -> Tag {
        let limits = JSONLimits(size: LineReader.defaultLimit)
        let values = (try? JSONValue(json: text, limits: limits))?.array ?? []
        guard let tag = Tag(elements: values.compactMap(\.string)), tag.elements.count == values.count
        else { throw CommandFailure(.badInput, "the tag is neither n=v nor a JSON array of strings") }
        return tag
    }
}

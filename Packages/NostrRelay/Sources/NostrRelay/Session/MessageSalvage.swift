import NostrEvents

/// What can be told of a message that cannot be read, so that the answer says what it is about.
struct MessageSalvage {
    enum Subject: Equatable {
        case event(EventID)
        case subscription(SubscriptionID)
        case reconciliation(SubscriptionID)
        case unknown
    }

    let subject: Subject

    init(_ message: [UInt8]) {
        var text = message[...]
        Self.skip(&text, "[")
        switch Self.string(&text) {
        case "EVENT", "AUTH":
            subject = Self.eventID(in: text).map(Subject.event) ?? .unknown
        case "REQ", "COUNT", "CLOSE":
            subject = Self.subscription(text).map(Subject.subscription) ?? .unknown
        case "NEG-OPEN", "NEG-MSG", "NEG-CLOSE":
            subject = Self.subscription(text).map(Subject.reconciliation) ?? .unknown
        default:
            subject = .unknown
        }
    }

    private static func subscription(_ text: ArraySlice<UInt8>) -> SubscriptionID? {
        var text = text
        skip(&text, ",")
        return string(&text).flatMap { try? SubscriptionID($0) }
    }

    /// Reads a short string without escapes.
    private static func string(_ text: inout ArraySlice<UInt8>) -> String? {
        skipSpace(&text)
        guard text.first == UInt8(ascii: "\"") else { return nil }
        let rest = text.dropFirst()
        guard let end = rest.prefix(4 * SubscriptionID.greatestLength + 1).firstIndex(of: UInt8(ascii: "\"")) else {
            return nil
        }
        let content = rest[..<end]
        text = rest[(end + 1)...]
        return content.contains(UInt8(ascii: "\\")) ? nil : String(validating: content, as: UTF8.self)
    }

    private static func skip(_ text: inout ArraySlice<UInt8>, _ byte: Unicode.Scalar) {
        skipSpace(&text)
        if text.first == UInt8(ascii: byte) { text.removeFirst() }
    }

    private static func skipSpace(_ text: inout ArraySlice<UInt8>) {
        text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    /// The value of the first key `id`.
    private static func eventID(in text: ArraySlice<UInt8>) -> EventID? {
        let key = Array("\"id\"".utf8)
        var place = text.startIndex
        while let quote = text[place...].firstIndex(of: UInt8(ascii: "\"")), quote + 4 <= text.endIndex {
            guard text[quote..<(quote + 4)].elementsEqual(key) else {
                place = quote + 1
                continue
            }
            var rest = text[(quote + 4)...]
            skip(&rest, ":")
            if let hex = string(&rest), let id = try? EventID(hex: hex) { return id }
            place = quote + 4
        }
        return nil
    }
}

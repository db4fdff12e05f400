/// What the first bytes of a relay's message say, found without checking or copying anything: enough to drop an event
/// that has been seen before it is parsed.
///
/// A part of what a client receives are duplicates from other relays. Looking costs a small share of parsing and a
/// thousandth of verifying. What is found is a claim: only ``Event`` proves an id.
public struct RelayMessagePreview: Sendable {
    /// The type of a message, such as `EVENT`.
    public enum Label: String, Sendable {
        /// An event of a subscription (NIP-01).
        case event = "EVENT"
        /// What became of a published event (NIP-01).
        case ok = "OK"
        /// All stored events of a subscription have been sent (NIP-01).
        case endOfStoredEvents = "EOSE"
        /// The relay has ended a subscription (NIP-01).
        case closed = "CLOSED"
        /// Words for a person (NIP-01).
        case notice = "NOTICE"
        /// A challenge to say who one is (NIP-42).
        case challenge = "AUTH"
        /// The answer to a count (NIP-45).
        case count = "COUNT"
        /// A step of a reconciliation (NIP-77).
        case reconciliation = "NEG-MSG"
        /// The end of a reconciliation that failed (NIP-77).
        case reconciliationError = "NEG-ERR"
    }

    /// The type of the message.
    public let label: Label
    /// Where the second element is, without its quotes, if it is a string: the subscription of all messages but OK,
    /// NOTICE and AUTH.
    public let secondElement: Range<Int>?
    /// The id of the event in an EVENT, or that an OK speaks of.
    public let eventID: EventID?

    /// Looks at a message; nil if it does not begin as one does.
    public init?(_ message: RawSpan) {
        var scanner = RawScanner(position: 0)
        guard scanner.take(ASCII.openBracket, message), let type = scanner.takeString(message),
            let label = Label(message, type)
        else { return nil }
        self.label = label
        guard scanner.take(ASCII.comma, message) else {
            secondElement = nil
            eventID = nil
            return
        }
        secondElement = scanner.takeString(message)
        switch label {
        case .event:
            eventID = secondElement != nil && scanner.take(ASCII.comma, message) ? scanner.eventID(message) : nil
        case .ok:
            guard let range = secondElement, range.count == 64 else {
                eventID = nil
                return
            }
            eventID = message.bytes32(range.lowerBound).map(EventID.init)
        default:
            eventID = nil
        }
    }

    /// Looks at a message; nil if it does not begin as one does.
    public init?(_ message: [UInt8]) {
        guard let preview = message.withRawSpan({ RelayMessagePreview($0) }) else { return nil }
        self = preview
    }

    /// The subscription a message belongs to; nil if it names none or its name has escapes or is not valid, which only
    /// parsing the message can tell.
    public func subscription(in message: [UInt8]) -> SubscriptionID? {
        guard let secondElement, label != .ok, label != .notice, label != .challenge,
            secondElement.upperBound <= message.count
        else { return nil }
        let name = message[secondElement]
        guard !name.contains(ASCII.backslash), let text = String(validating: name, as: UTF8.self) else { return nil }
        return try? SubscriptionID(text)
    }
}

extension RelayMessagePreview.Label {
    fileprivate init?(_ bytes: RawSpan, _ range: Range<Int>) {
        if bytes.equals(range, "EVENT") {
            self = .event
        } else {
            guard range.count <= 8 else { return nil }
            self.init(rawValue: bytes.text(range))
        }
    }
}

/// What a relay sends to a client (NIP-01, 42, 45, 67 and 77).
public enum RelayMessage: Sendable {
    /// `["EVENT", <subscription>, <event>]`: an event that matches a subscription.
    case event(SubscriptionID, WireEvent)
    /// `["OK", <id>, <accepted>, <status>]`: whether an event was accepted.
    case ok(EventID, accepted: Bool, StatusMessage)
    /// `["EOSE", <subscription>, [<hint>...]]`: all stored events that are going to be sent were sent; the hints
    /// (NIP-67) may be absent.
    case endOfStoredEvents(SubscriptionID, EndOfStoredEventsHints)
    /// `["CLOSED", <subscription>, <status>]`: a request was refused or ended.
    case closed(SubscriptionID, StatusMessage)
    /// `["NOTICE", <text>]`: something for people.
    case notice(String)
    /// `["AUTH", <challenge>]`: the client may say who it is (NIP-42).
    case challenge(String)
    /// `["COUNT", <subscription>, {"count": ...}]`: how many events match (NIP-45).
    case count(SubscriptionID, EventCount)
    /// `["NEG-MSG", <subscription>, <hex>]`: the next message of a reconciliation (NIP-77).
    case reconciliation(SubscriptionID, [UInt8])
    /// `["NEG-ERR", <subscription>, <status>, <most records>]`: a reconciliation was refused or ended (NIP-77); the
    /// number of records the relay would process may be absent.
    case reconciliationError(SubscriptionID, StatusMessage, mostRecords: Int64?)

    /// Reads a message from UTF-8 JSON. An event in it shares the array. An OK or CLOSED without its status, as some
    /// relays send them, has an empty one.
    /// - Throws: ``EventError/invalidMessage(_:)``, ``EventError/invalidSubscriptionID``,
    ///   ``EventError/malformedJSON(_:at:)`` and what ``WireEvent`` throws.
    public init(json: [UInt8], limits: MessageLimits = .standard) throws(EventError) {
        self = try json.withRawSpan { (bytes) throws(EventError) in
            var reader = try MessageReader(bytes, limits)
            let message: RelayMessage
            switch reader.type {
            case "EVENT":
                message = .event(
                    try reader.subscription(bytes),
                    try WireEvent(reader.event(bytes, limits), buffer: json)
                )
            case "OK":
                message = .ok(
                    try reader.eventID(bytes),
                    accepted: try reader.bool(bytes),
                    try reader.optionalStatus(bytes)
                )
            case "EOSE": message = .endOfStoredEvents(try reader.subscription(bytes), try reader.hints(bytes))
            case "CLOSED": message = .closed(try reader.subscription(bytes), try reader.optionalStatus(bytes))
            case "NOTICE": message = .notice(try reader.text(bytes))
            case "AUTH": message = .challenge(try reader.text(bytes))
            case "COUNT": message = .count(try reader.subscription(bytes), try reader.count(bytes))
            case "NEG-MSG": message = .reconciliation(try reader.subscription(bytes), try reader.hex(bytes))
            case "NEG-ERR":
                message = .reconciliationError(
                    try reader.subscription(bytes),
                    try reader.status(bytes),
                    mostRecords: try reader.optionalInteger(bytes)
                )
            default: throw reader.unknownType
            }
            try reader.finish(bytes)
            return message
        }
    }

    /// Reads a message from JSON text.
    public init(json: String, limits: MessageLimits = .standard) throws(EventError) {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    /// The message as compact UTF-8 JSON.
    public var json: [UInt8] {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        switch self {
        case .event(let subscription, let event):
            output.appendMessage("EVENT") { writer in
                writer.text(subscription.text)
                writer.raw(event.appendJSON)
            }
        case .ok(let id, let accepted, let status):
            output.appendMessage("OK") { writer in
                writer.text(id.hex)
                writer.raw { $0.append(contentsOf: (accepted ? "true" : "false").utf8) }
                writer.text(status.text)
            }
        case .endOfStoredEvents(let subscription, let hints):
            output.appendMessage("EOSE") { writer in
                writer.text(subscription.text)
                guard !hints.isEmpty else { return }
                let names = EndOfStoredEventsHints.names.filter { hints.contains($0.hint) }.map(\.name)
                writer.raw(JSONValue.array(names.map(JSONValue.string)).appendJSON)
            }
        case .closed(let subscription, let status):
            output.appendMessage("CLOSED") { writer in
                writer.text(subscription.text)
                writer.text(status.text)
            }
        case .notice(let text):
            output.appendMessage("NOTICE") { $0.text(text) }
        case .challenge(let text):
            output.appendMessage("AUTH") { $0.text(text) }
        case .count(let subscription, let count):
            output.appendMessage("COUNT") { writer in
                writer.text(subscription.text)
                writer.raw(count.appendJSON)
            }
        case .reconciliation(let subscription, let message):
            output.appendMessage("NEG-MSG") { writer in
                writer.text(subscription.text)
                writer.hex(message)
            }
        case .reconciliationError(let subscription, let status, let mostRecords):
            output.appendMessage("NEG-ERR") { writer in
                writer.text(subscription.text)
                writer.text(status.text)
                if let mostRecords { writer.raw(JSONValue.integer(mostRecords).appendJSON) }
            }
        }
    }
}

extension RelayMessage: CustomStringConvertible {
    /// The message as JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}

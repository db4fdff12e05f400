/// What a client sends to a relay (NIP-01, 42, 45 and 77).
public enum ClientMessage: Sendable {
    /// `["EVENT", <event>]`: publish an event.
    case event(WireEvent)
    /// `["REQ", <subscription>, <filter>...]`: send what is stored and subscribe to what comes; one filter at least.
    case request(SubscriptionID, [Filter])
    /// `["CLOSE", <subscription>]`: end a subscription.
    case close(SubscriptionID)
    /// `["AUTH", <event>]`: an event of kind 22242 proves who the client is (NIP-42).
    case authenticate(WireEvent)
    /// `["COUNT", <subscription>, <filter>...]`: say how many events match (NIP-45); one filter at least.
    case count(SubscriptionID, [Filter])
    /// `["NEG-OPEN", <subscription>, <filter>, <hex>]`: begin a reconciliation (NIP-77).
    case reconcile(SubscriptionID, Filter, [UInt8])
    /// `["NEG-MSG", <subscription>, <hex>]`: the next message of a reconciliation (NIP-77).
    case reconciliation(SubscriptionID, [UInt8])
    /// `["NEG-CLOSE", <subscription>]`: end a reconciliation (NIP-77).
    case closeReconciliation(SubscriptionID)

    /// Reads a message from UTF-8 JSON. An event in it shares the array.
    /// - Throws: ``EventError/invalidMessage(_:)``, ``EventError/invalidSubscriptionID``,
    ///   ``EventError/malformedJSON(_:at:)`` and what ``WireEvent`` and ``Filter`` throw.
    public init(json: [UInt8], limits: MessageLimits = .standard) throws(EventError) {
        self = try json.withRawSpan { (bytes) throws(EventError) in
            var reader = try MessageReader(bytes, limits)
            let message: ClientMessage
            switch reader.type {
            case "EVENT": message = .event(try WireEvent(reader.event(bytes, limits), buffer: json))
            case "REQ": message = .request(try reader.subscription(bytes), try reader.filters(bytes, limits))
            case "CLOSE": message = .close(try reader.subscription(bytes))
            case "AUTH": message = .authenticate(try WireEvent(reader.event(bytes, limits), buffer: json))
            case "COUNT": message = .count(try reader.subscription(bytes), try reader.filters(bytes, limits))
            case "NEG-OPEN":
                message = .reconcile(
                    try reader.subscription(bytes),
                    try reader.filter(bytes, limits),
                    try reader.hex(bytes)
                )
            case "NEG-MSG": message = .reconciliation(try reader.subscription(bytes), try reader.hex(bytes))
            case "NEG-CLOSE": message = .closeReconciliation(try reader.subscription(bytes))
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
        case .event(let event):
            output.appendMessage("EVENT") { $0.raw(event.appendJSON) }
        case .request(let subscription, let filters):
            output.appendMessage("REQ") { writer in
                writer.text(subscription.text)
                for filter in filters { writer.raw(filter.appendJSON) }
            }
        case .close(let subscription):
            output.appendMessage("CLOSE") { $0.text(subscription.text) }
        case .authenticate(let event):
            output.appendMessage("AUTH") { $0.raw(event.appendJSON) }
        case .count(let subscription, let filters):
            output.appendMessage("COUNT") { writer in
                writer.text(subscription.text)
                for filter in filters { writer.raw(filter.appendJSON) }
            }
        case .reconcile(let subscription, let filter, let message):
            output.appendMessage("NEG-OPEN") { writer in
                writer.text(subscription.text)
                writer.raw(filter.appendJSON)
                writer.hex(message)
            }
        case .reconciliation(let subscription, let message):
            output.appendMessage("NEG-MSG") { writer in
                writer.text(subscription.text)
                writer.hex(message)
            }
        case .closeReconciliation(let subscription):
            output.appendMessage("NEG-CLOSE") { $0.text(subscription.text) }
        }
    }
}

extension ClientMessage: CustomStringConvertible {
    /// The message as JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}

public import NostrEvents

/// The error of a JSON-RPC 2.0 answer. Codes below zero belong to the protocol; those above are the exit code that a
/// command ends with.
public struct RPCFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public var code: Int64
    /// One plain sentence.
    public var message: String
    /// What more is to be known, for programs.
    public var data: JSONValue?

    /// A failure of its parts.
    public init(code: Int64, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Reads a failure; nil for what is none.
    init?(_ value: JSONValue) {
        guard let object = value.object, let code = object["code"]?.integer, let message = object["message"]?.string
        else { return nil }
        self.init(code: code, message: message, data: object["data"])
    }

    /// As it stands in a message.
    var value: JSONValue {
        var object: JSONObject = ["code": .integer(code), "message": .string(message)]
        object["data"] = data
        return .object(object)
    }

    public var description: String { message }

    /// The line is no JSON.
    public static let notJSON = RPCFailure(code: -32_700, message: "The line is no JSON.")
    /// The daemon has as many requests or connections as it takes.
    public static let busy = RPCFailure(
        code: -32_000,
        message: "The daemon has too many requests at the same time; try again when some are answered."
    )
    /// The request was cancelled.
    public static let cancelled = RPCFailure(code: -32_800, message: "The request was cancelled.")
    /// Something failed that has no code.
    public static let unexpected = RPCFailure(
        code: -32_603,
        message: "The daemon failed unexpectedly; its log says more."
    )

    /// The message is JSON, but no request.
    public static func invalid(_ reason: String) -> RPCFailure {
        RPCFailure(code: -32_600, message: reason)
    }

    /// There is no such method.
    public static func unknownMethod(_ name: String) -> RPCFailure {
        RPCFailure(code: -32_601, message: "There is no method \(name.prefix(100).debugDescription).")
    }

    /// The parameters are not what the method takes.
    public static func invalidParameters(_ reason: String) -> RPCFailure {
        RPCFailure(code: -32_602, message: reason)
    }
}

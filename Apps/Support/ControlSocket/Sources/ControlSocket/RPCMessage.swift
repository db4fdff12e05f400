public import NostrEvents

/// One message of JSON-RPC 2.0. Parameters and results are kept as they were written: who knows the method reads them.
public enum RPCMessage: Sendable {
    /// Asks for an answer.
    case request(id: RPCIdentifier, method: String, parameters: RawJSON?)
    /// Asks for none.
    case notification(method: String, parameters: RawJSON?)
    /// Answers a request. Without an identifier it answers something that was none.
    case answer(id: RPCIdentifier?, Result<RawJSON, RPCFailure>)

    /// How many bytes the name of a method may have.
    static let longestMethod = 128

    /// Reads a line.
    /// - Throws: ``RPCFailure``, for the answer.
    public init(_ line: [UInt8], limit: Int = 4 << 20) throws(RPCFailure) {
        guard let whole = try? RawJSON(json: line, limits: JSONLimits(size: limit)) else { throw .notJSON }
        guard let members = try? whole.members() else {
            throw .invalid("A message is a JSON object, one a line; batches are not taken.")
        }
        var fields: [String: RawJSON] = [:]
        for (key, value) in members { fields[key] = value }
        guard Self.text(fields["jsonrpc"]) == "2.0" else { throw .invalid("The member jsonrpc is not \"2.0\".") }
        let id = try fields["id"].map { (id) throws(RPCFailure) in try RPCIdentifier(reading: id) }
        if let method = fields["method"] {
            guard let name = Self.text(method), !name.isEmpty, name.utf8.count <= Self.longestMethod else {
                throw .invalid("The member method is no name of a method.")
            }
            if let parameters = fields["params"], !Self.isStructured(parameters) {
                throw .invalid("The member params is neither an object nor an array.")
            }
            guard let id else {
                self = .notification(method: name, parameters: fields["params"])
                return
            }
            guard let known = id else { throw .invalid("A request cannot have null for its id.") }
            self = .request(id: known, method: name, parameters: fields["params"])
            return
        }
        guard let id else { throw .invalid("The message has neither a method nor an id.") }
        if let result = fields["result"], fields["error"] == nil {
            self = .answer(id: id, .success(result))
        } else if let error = fields["error"], fields["result"] == nil {
            let value = try? error.value(limits: JSONLimits(size: limit))
            guard let failure = value.flatMap({ RPCFailure($0) }) else {
                throw .invalid("The member error has no code or no message.")
            }
            self = .answer(id: id, .failure(failure))
        } else {
            throw .invalid("The message has no method, and not one of result and error.")
        }
    }

    /// The message as one line, with its line feed.
    public var line: [UInt8] {
        var bytes = Array(#"{"jsonrpc":"2.0""#.utf8)
        switch self {
        case .request(let id, let method, let parameters):
            Self.append("id", id.json, to: &bytes)
            Self.append(method, parameters, to: &bytes)
        case .notification(let method, let parameters):
            Self.append(method, parameters, to: &bytes)
        case .answer(let id, .success(let result)):
            Self.append("id", id?.json ?? .null, to: &bytes)
            bytes.append(contentsOf: #","result":"#.utf8)
            Self.append(oneLine: result, to: &bytes)
        case .answer(let id, .failure(let failure)):
            Self.append("id", id?.json ?? .null, to: &bytes)
            Self.append("error", failure.value, to: &bytes)
        }
        bytes.append(contentsOf: "}\n".utf8)
        return bytes
    }

    private static func append(_ name: String, _ value: JSONValue, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: ",\"\(name)\":".utf8)
        value.appendJSON(to: &bytes)
    }

    private static func append(_ method: String, _ parameters: RawJSON?, to bytes: inout [UInt8]) {
        append("method", .string(method), to: &bytes)
        guard let parameters else { return }
        bytes.append(contentsOf: #","params":"#.utf8)
        append(oneLine: parameters, to: &bytes)
    }

    /// Line feeds of JSON lie between its words only, where a space does as well.
    private static func append(oneLine json: RawJSON, to bytes: inout [UInt8]) {
        let start = bytes.count
        json.appendJSON(to: &bytes)
        for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D { bytes[index] = 0x20 }
    }

    private static func isStructured(_ value: RawJSON) -> Bool {
        value.isObject || value.json.first == UInt8(ascii: "[")
    }

    private static func text(_ value: RawJSON?) -> String? {
        guard let value, let read = try? value.value() else { return nil }
        return read.string
    }
}

/// What a request and its answer have in common: a text or a whole number, chosen by who asks.
public enum RPCIdentifier: Hashable, Sendable {
    /// A whole number.
    case number(Int64)
    /// A text of at most 128 bytes.
    case text(String)

    /// Nil is null.
    fileprivate init?(reading raw: RawJSON) throws(RPCFailure) {
        let failure = RPCFailure.invalid("The member id is neither a short text nor a whole number.")
        guard let value = try? raw.value() else { throw failure }
        if value.isNull { return nil }
        if let number = value.integer {
            self = .number(number)
        } else if let text = value.string, text.utf8.count <= 128 {
            self = .text(text)
        } else {
            throw failure
        }
    }

    /// As it stands in a message.
    public var json: JSONValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
}

extension EventError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformedJSON(let problem, let offset): "\(problem) (at byte \(offset))."
        case .duplicateField(let field): "The event has the field \(field.rawValue) twice."
        case .missingField(let field): "The event has no field \(field.rawValue)."
        case .invalidField(let field): "The event's field \(field.rawValue) is not \(field.expectation)."
        case .emptyTag: "A tag of the event has no element."
        case .unexpectedSignature: "The event is signed where only an unsigned one is allowed."
        case .tooLarge(let limit): "The event is larger than \(limit) bytes."
        case .contentTooLarge(let limit): "The event's content is larger than \(limit) bytes."
        case .tooManyTags(let limit): "The event has more than \(limit) tags."
        case .idMismatch: "The event's id is not the hash of the event."
        case .invalidPublicKey: "The event's public key is not a valid key."
        case .invalidSignature: "The event's signature is not valid."
        case .invalidHex: "The text is not lower-case hexadecimal of the right length."
        case .invalidSubscriptionID: "The subscription id is empty or longer than 64 characters."
        case .invalidFilter(let problem): problem.description
        case .invalidMessage(let problem): problem.description
        case .invalidIdentifier(let problem): problem.description
        case .invalidAuthentication(let problem): problem.description
        case .invalidRelayURL: "The address of a relay must look like wss://relay.example.com."
        case .invalidDifficulty: "The difficulty must be from 0 to 256 bits."
        case .noNonceFound(let attempts): "None of \(attempts) ids has the difficulty."
        }
    }
}

extension JSONProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpectedEnd: "The JSON ends too early"
        case .unexpectedByte: "The JSON has an unexpected character"
        case .invalidNumber: "The JSON has a malformed number"
        case .invalidEscape: "The JSON has a malformed escape in a string"
        case .invalidUTF8: "The JSON is not valid UTF-8"
        case .loneSurrogate: "The JSON has half of a surrogate pair in a string"
        case .controlCharacter: "The JSON has an unescaped control character in a string"
        case .tooDeep: "The JSON is nested too deeply"
        case .trailingBytes: "The JSON is followed by something else"
        case .duplicateKey: "The JSON has a key twice in one object"
        case .tooLarge: "The JSON is too large"
        }
    }
}

extension EventField {
    var expectation: String {
        switch self {
        case .id, .pubkey: "64 lower-case hexadecimal digits"
        case .createdAt: "an integer from 0 to 2^53 - 1"
        case .kind: "an integer from 0 to 65535"
        case .tags: "an array of arrays of strings"
        case .content: "a string"
        case .signature: "128 lower-case hexadecimal digits"
        }
    }
}

extension FilterProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAnObject: "The filter is not a JSON object."
        case .unknownField(let name): "The filter has the unknown field \(name)."
        case .duplicateField(let name): "The filter has the field \(name) twice."
        case .invalidField(let name): "The filter's field \(name) is not valid."
        case .tooManyValues(let limit): "The filter has more than \(limit) values in a list."
        }
    }
}

extension MessageProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAMessage: "The message is not a JSON array that begins with its type."
        case .unknownType(let type): "The message has the unknown type \(type)."
        case .invalidElement: "The message has a missing or wrong element."
        case .tooManyFilters(let limit): "The message has more than \(limit) filters."
        case .noFilter: "The message has no filter."
        }
    }
}

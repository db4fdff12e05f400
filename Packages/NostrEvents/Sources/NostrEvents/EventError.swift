/// What can go wrong in this package, a case for each thing a caller can act on.
public enum EventError: Error, Equatable, Sendable {
    /// The text is not JSON (RFC 8259), or not JSON this package accepts; `at` is the offset in bytes.
    case malformedJSON(JSONProblem, at: Int)
    /// A field of the event appears twice.
    case duplicateField(EventField)
    /// The event lacks a field.
    case missingField(EventField)
    /// A field of the event has another type or is out of its range (see ``EventField``).
    case invalidField(EventField)
    /// A tag has no element; NIP-01 asks for one or more.
    case emptyTag
    /// The event carries a signature where only an unsigned one is allowed (a rumor, NIP-59).
    case unexpectedSignature
    /// The JSON has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The content has more bytes, as written in the JSON, than the limit.
    case contentTooLarge(limit: Int)
    /// There are more tags than the limit for the kind.
    case tooManyTags(limit: Int)
    /// The id is not the hash of the event's serialisation.
    case idMismatch
    /// The public key is not a point on secp256k1.
    case invalidPublicKey
    /// The signature is not by the public key over the id.
    case invalidSignature
    /// The text is not a whole number of lower-case hexadecimal bytes of the length that was asked for.
    case invalidHex
    /// A subscription id is empty or longer than 64 characters (NIP-01).
    case invalidSubscriptionID
    /// The filter cannot be used.
    case invalidFilter(FilterProblem)
    /// The message cannot be used.
    case invalidMessage(MessageProblem)
    /// The text is no identifier of NIP-19 or NIP-21, or the identifier cannot be written.
    case invalidIdentifier(IdentifierProblem)
    /// The event or header does not authenticate its sender (NIP-42, NIP-98).
    case invalidAuthentication(AuthenticationProblem)
    /// The text is not the address of a relay.
    case invalidRelayURL
    /// The difficulty is not from 0 to 256 (NIP-13).
    case invalidDifficulty
    /// So many ids were computed and none had the difficulty (NIP-13).
    case noNonceFound(attempts: UInt64)
}

/// What is wrong with JSON text.
public enum JSONProblem: Error, Equatable, Sendable {
    /// The text ends before its value does.
    case unexpectedEnd
    /// A byte that cannot stand where it stands.
    case unexpectedByte
    /// A number that is not one of RFC 8259.
    case invalidNumber
    /// An escape that does not exist, or half of a surrogate pair.
    case invalidEscape
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// Half of a UTF-16 surrogate pair stands alone in an escape.
    case loneSurrogate
    /// A control character stands in a string without an escape.
    case controlCharacter
    /// Arrays and objects lie in each other deeper than the limit.
    case tooDeep
    /// Something other than white space follows the value.
    case trailingBytes
    /// A key appears twice in an object.
    case duplicateKey
    /// The text has more bytes than the limit.
    case tooLarge
}

/// A field of an event, as NIP-01 names it.
public enum EventField: String, Sendable, CaseIterable {
    /// 64 lower-case hexadecimal digits.
    case id
    /// 64 lower-case hexadecimal digits.
    case pubkey
    /// Seconds since 1970, an integer from 0 to 2^53 - 1 written with digits alone.
    case createdAt = "created_at"
    /// An integer from 0 to 65,535 written with digits alone.
    case kind
    /// An array of arrays of strings.
    case tags
    /// A string.
    case content
    /// 128 lower-case hexadecimal digits.
    case signature = "sig"
}

/// What is wrong with a filter.
public enum FilterProblem: Equatable, Sendable {
    /// The filter is no JSON object.
    case notAnObject
    /// It asks for something this package does not know, so that no answer to it could be right. The name is cut to 32
    /// scalars.
    case unknownField(String)
    /// A field appears twice.
    case duplicateField(String)
    /// A field has another type or is out of its range.
    case invalidField(String)
    /// A list has more values than the limit.
    case tooManyValues(limit: Int)
}

/// What is wrong with a message between client and relay.
public enum MessageProblem: Equatable, Sendable {
    /// The message is not a JSON array that begins with a string.
    case notAMessage
    /// The message has another type than those known. The type is cut to 32 scalars.
    case unknownType(String)
    /// An element of the message is missing or has another type.
    case invalidElement
    /// The message has more filters than the limit.
    case tooManyFilters(limit: Int)
    /// The message has no filter where at least one is needed.
    case noFilter
}

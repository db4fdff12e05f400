public import NostrCrypto
import NostrEvents

/// What is known of an account on this device beside its keys.
public struct Account: Hashable, Sendable {
    /// The public key, which is the account.
    public let key: Bytes32
    /// The name given here; nil where none was.
    public var name: String?
    /// Seconds since 1970.
    public let createdAt: Int64
    /// Whether the secret key was ever shown, exported or brought from elsewhere: if not, removing it here loses it for good.
    public var isSecretKnownElsewhere: Bool

    /// What is known of the account with this public key.
    public init(key: Bytes32, name: String? = nil, createdAt: Int64, isSecretKnownElsewhere: Bool) {
        self.key = key
        self.name = name
        self.createdAt = createdAt
        self.isSecretKnownElsewhere = isSecretKnownElsewhere
    }

    /// Reads `account.json`; what it lacks is filled with what is safe to assume.
    init?(key: Bytes32, json: [UInt8]) {
        guard let object = try? JSONValue(json: json).object else { return nil }
        self.key = key
        name = object["name"]?.string
        createdAt = object["created_at"]?.integer ?? 0
        isSecretKnownElsewhere = object["secret_known_elsewhere"]?.bool ?? false
    }

    var json: [UInt8] {
        var object = JSONObject()
        object["name"] = name.map { .string($0) }
        object["created_at"] = .integer(createdAt)
        object["secret_known_elsewhere"] = .bool(isSecretKnownElsewhere)
        return JSONValue.object(object).json
    }

    /// A name without control characters, runs of white space or outer blanks.
    /// - Throws: ``IdentityError/invalidName`` if nothing is left, or more than 80 characters are.
    public static func cleaned(_ name: String) throws(IdentityError) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control ? " " : scalar
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        let cleaned = text.split(separator: " ").joined(separator: " ")
        guard (1...80).contains(cleaned.count) else { throw .invalidName }
        return cleaned
    }
}

import NostrCrypto
import NostrEvents

/// The members that stored records share.
extension JSONValue {
    static func stored(_ version: ReplaceableVersion) -> JSONValue {
        .array([.integer(version.createdAt), .string(version.id.hex)])
    }

    /// A version that was stored.
    var version: ReplaceableVersion? {
        guard let parts = array, parts.count == 2, let time = parts[0].integer, let id = parts[1].key else {
            return nil
        }
        return ReplaceableVersion(createdAt: time, id: EventID(id))
    }

    /// 32 bytes that were stored as hexadecimal digits.
    var key: Bytes32? { string.flatMap { try? Bytes32(hex: $0) } }

    /// An event that was stored; nil also if its id or signature is wrong.
    var event: Event? { try? Event(json: json) }
}

import NostrCrypto
import NostrEvents

/// Reads the JSON of an event that lacks fields: those with a default are put in before it is read, so that the rules
/// for everything else are those of ``WireEvent``.
struct EventTemplate {
    /// JSON for each field that may be absent.
    let defaults: [EventField: String]

    /// What an event without a signature may lack.
    static let unsigned = EventTemplate(defaults: [
        .id: #""\#(Bytes32.zero.hex)""#, .signature: #""\#(Bytes32.zero.hex + Bytes32.zero.hex)""#,
    ])

    /// What somebody who asks for a signature may leave out.
    static func draft(by publicKey: PublicKey, at time: Int64) -> EventTemplate {
        EventTemplate(
            defaults: unsigned.defaults.merging([
                .pubkey: #""\#(publicKey.hex)""#, .createdAt: String(time), .tags: "[]", .content: #""""#,
            ]) { $1 }
        )
    }

    /// The event; its id and signature are whatever the JSON or the defaults say.
    func read(_ json: [UInt8]) throws(EventError) -> WireEvent {
        var json = json
        var missing = defaults
        while true {
            do {
                return try WireEvent(json: json, limits: .local)
            } catch {
                guard case .missingField(let field) = error, let value = missing.removeValue(forKey: field),
                    let brace = json.firstIndex(of: UInt8(ascii: "{"))
                else { throw error }
                let isEmpty = json[(brace + 1)...].first { $0 > 0x20 } == UInt8(ascii: "}")
                let entry = "\"\(field.rawValue)\":\(value)" + (isEmpty ? "" : ",")
                json.insert(contentsOf: entry.utf8, at: brace + 1)
            }
        }
    }
}

import LinkstrSessions
import NostrCrypto
import NostrEvents

/// A member list that has to go to somebody again, because that key would else never learn of it.
struct Duty: Hashable, Sendable {
    let list: EventID
    let recipient: Bytes32

    /// More than so many do not wait.
    static let most = 1_000
    /// The document in which they wait.
    static let document = "duties"

    /// Reads the document; what is damaged in it is left out.
    static func read(_ json: [UInt8]) -> [Duty] {
        guard let rows = (try? JSONValue(json: json))?.array else { return [] }
        return rows.prefix(most).compactMap { row in
            guard let list = row["list"]?.string.flatMap({ try? EventID(hex: $0) }),
                let recipient = row["to"]?.string.flatMap({ try? Bytes32(hex: $0) })
            else { return nil }
            return Duty(list: list, recipient: recipient)
        }
    }

    static func json(_ duties: [Duty]) -> [UInt8] {
        let rows = duties.map { duty -> JSONValue in
            var row = JSONObject()
            row["list"] = .string(duty.list.hex)
            row["to"] = .string(duty.recipient.hex)
            return .object(row)
        }
        return JSONValue.array(rows).json
    }
}

public import NostrCrypto
import NostrEvents

/// That a sending ended before every copy was confirmed, while some may have arrived: not what it said, only that there was one. It
/// outlives the run, in which alone the same statement could be completed.
public struct UnfinishedSending: Hashable, Sendable {
    /// Tells the same call again, without what it says.
    let call: Bytes32
    /// The session; empty where it was to be made.
    public let session: String
    /// Seconds since 1970.
    public let time: Int64
    /// Whose copy no relay has confirmed.
    public let missed: [Bytes32]

    static let document = "unfinished-sendings"
    /// How many are kept.
    static let most = 64
    /// For how long, in seconds.
    static let lifetime: Int64 = 7 * 86_400

    /// The same for the same call.
    static func digest(of call: String) -> Bytes32 { SHA256.hash(Array(call.utf8)) }

    /// Reads the document.
    static func read(_ json: [UInt8]) -> [UnfinishedSending] {
        ((try? JSONValue(json: json))?.array ?? []).compactMap { value in
            guard let call = value["call"]?.string.flatMap({ try? Bytes32(hex: $0) }),
                let session = value["session"]?.string, let time = value["time"]?.integer
            else { return nil }
            let missed = (value["missed"]?.array ?? []).compactMap { $0.string.flatMap { try? Bytes32(hex: $0) } }
            return UnfinishedSending(call: call, session: session, time: time, missed: missed)
        }
    }

    /// The document; nil if there is nothing to keep.
    static func json(_ all: [UnfinishedSending]) -> [UInt8]? {
        guard !all.isEmpty else { return nil }
        let rows = all.map { one -> JSONValue in
            [
                "call": .string(one.call.hex), "session": .string(one.session), "time": .integer(one.time),
                "missed": .array(one.missed.map { .string($0.hex) }),
            ]
        }
        return JSONValue.array(rows).json
    }
}

import CommandKit
import LinkstrSessions
import NostrCrypto
import NostrEvents

/// One line of `session replay`: an authenticated rumor and how it came.
struct ReplayLine {
    /// Nil where the line is well formed but says nothing valid about a session.
    let fact: Fact?
    let source: Source

    /// - Throws: ``CommandFailure`` where the line is no JSON object or lacks the rumor or the sender.
    init(_ bytes: [UInt8], keys: PublicKeyCache) throws(CommandFailure) {
        let limits = JSONLimits(size: LineReader.defaultLimit, allowsDuplicateKeys: true)
        guard let line = try? JSONValue(json: bytes, limits: limits), line.object != nil else {
            throw CommandFailure(.badInput, "the line is no JSON object")
        }
        guard let rumor = line["rumor"]?.object else { throw CommandFailure(.badInput, "the line has no rumor") }
        guard let sender = line["sender"]?.string else { throw CommandFailure(.badInput, "the line has no sender") }
        switch line["source"] {
        case nil, .null: source = .historical
        case .string(let text):
            guard let known = Source(rawValue: text) else {
                throw CommandFailure(.badInput, "the source is neither historical nor live")
            }
            source = known
        default: throw CommandFailure(.badInput, "the source is neither historical nor live")
        }
        fact = Self.fact(rumor, sender, keys)
    }

    /// The rumor counts as authenticated: its id is taken as it is given.
    private static func fact(_ rumor: JSONObject, _ sender: String, _ keys: PublicKeyCache) -> Fact? {
        guard let id = rumor["id"]?.string.flatMap({ try? EventID(hex: $0) }),
            let pubkey = rumor["pubkey"]?.string.flatMap({ try? Bytes32(hex: $0) }),
            let sender = try? Bytes32(hex: sender),
            let time = rumor["created_at"]?.integer,
            let kind = rumor["kind"]?.integer.flatMap(UInt16.init(exactly:)),
            let content = rumor["content"]?.string
        else { return nil }
        let parts = Fact.Parts(id: id, pubkey: pubkey, time: time, kind: Kind(rawValue: kind), content: content)
        return try? Fact(parts, sender: sender) { (try? keys.key(for: $0)) != nil }
    }
}

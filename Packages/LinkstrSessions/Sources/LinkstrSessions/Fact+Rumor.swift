public import NostrCrypto
public import NostrEvents

extension Fact {
    /// Reads an authenticated rumor.
    /// - Parameter sender: The key that signed the seal.
    /// - Throws: ``PayloadError`` where the rumor is no fact about a session.
    public init(
        _ rumor: Rumor,
        sender: Bytes32,
        isOnCurve: (Bytes32) -> Bool = { (try? PublicKey($0)) != nil }
    ) throws(PayloadError) {
        let parts = Parts(
            id: rumor.id,
            pubkey: rumor.pubkey,
            time: rumor.createdAt,
            kind: rumor.kind,
            content: rumor.content
        )
        try self.init(parts, sender: sender, isOnCurve: isOnCurve)
    }

    /// The parts of a rumor that was authenticated elsewhere: its id is taken as it is given.
    public struct Parts: Sendable {
        /// The id as it was given.
        public var id: EventID
        /// The key that the rumor names.
        public var pubkey: Bytes32
        /// Seconds since 1970.
        public var time: Int64
        /// Facts have 44001.
        public var kind: Kind
        /// The payload's JSON.
        public var content: String

        /// A rumor of its parts.
        public init(id: EventID, pubkey: Bytes32, time: Int64, kind: Kind, content: String) {
            self.id = id
            self.pubkey = pubkey
            self.time = time
            self.kind = kind
            self.content = content
        }
    }

    /// Reads the parts of an authenticated rumor.
    /// - Parameter sender: The key that signed the seal.
    /// - Throws: ``PayloadError`` where the rumor is no fact about a session.
    public init(
        _ rumor: Parts,
        sender: Bytes32,
        isOnCurve: (Bytes32) -> Bool = { (try? PublicKey($0)) != nil }
    ) throws(PayloadError) {
        guard rumor.kind == Payload.kind else { throw .wrongKind }
        guard rumor.pubkey == sender else { throw .senderMismatch }
        guard Moment.times.contains(rumor.time) else { throw .timeOutOfRange }
        let payload = try Payload(json: rumor.content, isOnCurve: isOnCurve)
        if let claimed = payload.rootIDOfRoot, ExactText(claimed) != ExactText(rumor.id.hex) { throw .foreignRootID }
        self.init(
            moment: Moment(time: rumor.time, id: rumor.id),
            sender: sender,
            session: payload.session,
            statement: try Self.statement(payload.body)
        )
    }

    private static func statement(_ body: Payload.Body) throws(PayloadError) -> Statement {
        switch body {
        case .create(_, let name, let members): .snapshot(name: name, members: members, isCreate: true)
        case .members(_, let name, let members): .snapshot(name: name, members: members, isCreate: false)
        case .sessionDelete: .sessionDelete
        case .root(let url, let note): .root(url: url, note: note)
        case .rootDelete(let root): .rootDelete(try target(root))
        case .reaction(let root, let emoji, let isActive):
            .reaction(root: try target(root), emoji: ExactText(emoji), isActive: isActive)
        }
    }

    /// Ids are compared as text, so what is not spelled like one is the id of no post that can ever come.
    private static func target(_ text: String) throws(PayloadError) -> EventID {
        guard let id = try? EventID(hex: text) else { throw .invalid(.rootID) }
        return id
    }
}

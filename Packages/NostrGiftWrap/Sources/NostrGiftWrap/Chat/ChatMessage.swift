public import NostrCrypto
public import NostrEvents

/// What can be said in a chat (NIP-17).
public struct ChatMessage: Sendable, Equatable {
    /// What a message is, by kind.
    public enum Body: Sendable, Equatable {
        /// Kind 14: plain text.
        case text(String)
        /// Kind 15: an encrypted file at a URL.
        case file(EncryptedFile)
        /// Kind 7: an emoji, `+` or `-` for a message (NIP-25).
        case reaction(String, to: EventID)
        /// Kind 5: own messages that should be removed.
        case deletion([EventID])
    }

    /// The rumor's id.
    public let id: EventID
    /// Who wrote it, as the rumor says: proven where the rumor came out of a gift wrap.
    public let sender: Bytes32
    /// Between whom it is.
    public let room: ChatRoom
    /// Seconds since 1970.
    public let createdAt: Int64
    /// What it says.
    public let body: Body
    /// The message this one answers.
    public let parent: EventID?
    /// The topic of the room from now on, if the message sets it.
    public let subject: String?

    /// Why a rumor is no chat message.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// It is of a kind that chats do not know.
        case notAChatKind(Kind)
        /// A tag that the kind needs is missing or unreadable.
        case missingTag(String)
        /// The file is encrypted in a way that is not known.
        case unknownEncryption

        public var description: String {
            switch self {
            case .notAChatKind(let kind): "An event of kind \(kind) is no chat message."
            case .missingTag(let name): "The message has no usable \(name) tag."
            case .unknownEncryption: "The file is encrypted in a way that is not supported."
            }
        }
    }

    /// Reads what was opened.
    public init(_ opened: OpenedGiftWrap) throws(Problem) {
        try self.init(opened.rumor)
    }

    /// Reads a rumor whose author is proven.
    public init(_ rumor: Rumor) throws(Problem) {
        guard let room = ChatRoom(rumor) else { throw .missingTag("p") }
        switch rumor.kind {
        case .chatMessage: body = .text(rumor.content)
        case .fileMessage: body = .file(try EncryptedFile(rumor))
        case .reaction:
            guard let target = Self.ids(rumor).last else { throw .missingTag("e") }
            body = .reaction(rumor.content, to: target)
        case .deletion:
            let targets = Self.ids(rumor)
            guard !targets.isEmpty else { throw .missingTag("e") }
            body = .deletion(targets)
        default: throw .notAChatKind(rumor.kind)
        }
        id = rumor.id
        sender = rumor.pubkey
        self.room = room
        createdAt = rumor.createdAt
        switch rumor.kind {
        case .chatMessage, .fileMessage: parent = Self.ids(rumor).first
        default: parent = nil
        }
        subject = rumor.tags.firstValue(named: "subject")
    }

    private static func ids(_ rumor: Rumor) -> [EventID] {
        rumor.tags.values(named: "e").compactMap { try? EventID(hex: $0) }
    }

    /// The rumor of a new message.
    /// - Parameters:
    ///   - sender: Whose message it is.
    ///   - recipients: Everybody else in the room; the sender alone for notes to oneself.
    ///   - relayHints: A relay for the `p` tag by recipient.
    ///   - createdAt: Seconds since 1970.
    public static func rumor(
        _ body: Body,
        from sender: Bytes32,
        to recipients: [Bytes32],
        replyingTo parent: EventID? = nil,
        subject: String? = nil,
        relayHints: [Bytes32: String] = [:],
        createdAt: Int64
    ) -> Rumor {
        var seen: Set<Bytes32> = []
        var tags = recipients.filter { seen.insert($0).inserted }.map { recipient in
            relayHints[recipient].map { Tag("p", recipient.hex, $0) } ?? Tag("p", recipient.hex)
        }
        let kind: Kind
        let content: String
        switch body {
        case .text(let text):
            kind = .chatMessage
            content = text
            if let parent { tags.append(Tag("e", parent.hex)) }
        case .file(let file):
            kind = .fileMessage
            content = file.url
            if let parent { tags.append(Tag("e", parent.hex, "", "reply")) }
            tags += file.tags
        case .reaction(let emoji, let target):
            kind = .reaction
            content = emoji
            tags.append(Tag("e", target.hex))
        case .deletion(let targets):
            kind = .deletion
            content = ""
            tags += targets.map { Tag("e", $0.hex) }
        }
        if let subject { tags.append(Tag("subject", subject)) }
        return Rumor(pubkey: sender, kind: kind, content: content, tags: tags, createdAt: createdAt)
    }
}

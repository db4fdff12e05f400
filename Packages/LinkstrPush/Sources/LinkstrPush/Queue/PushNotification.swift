internal import APNs
internal import NostrCrypto

/// A notification as it is queued and sent: everything about it is decided when it is accepted.
public struct PushNotification: Sendable, Equatable {
    /// What makes a later notification replace this one on the phone, at most 64 bytes.
    public var collapseID: String
    /// The JSON for Apple and the app.
    public var payload: [UInt8]

    /// A notification of its parts.
    public init(collapseID: String, payload: [UInt8]) {
        self.collapseID = collapseID
        self.payload = payload
    }

    /// The notification about what happened.
    ///
    /// - Parameter isPrivate: whether posts and reactions look alike and nothing tells the session, the post or the event.
    /// - Throws: ``PushRefusal`` when it is larger than Apple takes.
    public init(_ request: PushRequest, isPrivate: Bool) throws(PushRefusal) {
        var payload: APNsPayload
        if isPrivate {
            payload = APNsPayload(title: "New activity in linkstr", body: Self.invitation)
            collapseID = SHA256.hash("linkstr/push/collapse/" + request.eventID).hex
        } else {
            let title =
                switch request.kind {
                case .newPost: "New post in linkstr"
                case .newReaction: "New reaction \(request.emoji ?? "") in linkstr"
                }
            payload = APNsPayload(title: title, body: Self.invitation)
            payload.threadID = request.conversationID
            payload.fields = [
                .init("type", request.kind.rawValue),
                .init("event_id", request.eventID),
                .init("conversation_id", request.conversationID),
            ]
            if let emoji = request.emoji { payload.fields.append(.init("emoji", emoji)) }
            if request.kind == .newReaction, let post = request.postID { payload.fields.append(.init("post_id", post)) }
            // Event ids have 64 bytes; what is longer cannot be sent as it is.
            collapseID = request.eventID.utf8.count <= 64 ? request.eventID : SHA256.hash(request.eventID).hex
        }
        do {
            self.payload = try payload.json()
        } catch {
            throw PushRefusal("the notification would be larger than Apple takes")
        }
    }

    private static let invitation = "Open linkstr to see it."
}

/// A device that a notification goes to.
public struct PushTarget: Sendable, Equatable {
    /// The device's token.
    public var token: String
    /// Which of Apple's hosts knows it.
    public var environment: PushEnvironment

    /// A device of its token and environment.
    public init(token: String, environment: PushEnvironment) {
        self.token = token
        self.environment = environment
    }
}

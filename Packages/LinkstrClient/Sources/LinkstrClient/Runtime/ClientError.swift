public import LinkMetadata
public import LinkstrSessions
public import NostrContacts
public import NostrCrypto
public import NostrEvents
public import NostrPreferences
public import NostrTransport

/// Why the runtime of an account did not do something.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No relay is configured, or all are disabled.
    case noRelayEnabled
    /// No relay could be reached in time; what each said.
    case noRelayReached([RelayURL: String])
    /// Every relay that was reached takes no events.
    case onlyReadOnlyRelays([RelayURL: String])
    /// Relays refused the copies for these members; a relay's words.
    case refused([Bytes32], String)
    /// No relay took an event of this account; what became of it at each.
    case notAccepted([RelayURL: PublishOutcome])
    /// Relays refuse to drop the copies of a post, so that it was not deleted; a relay's words.
    case copiesRefused(String)
    /// Not every relay that was asked has answered, so that what is missing cannot be told from what there is not.
    case noAnswer([RelayURL: String])
    /// Another device changed the profile while this one did; the other change counts.
    case profileConflict
    /// These have not said where they receive messages, so nothing is sent.
    case noInbox([Bytes32])
    /// There is no such chat here.
    case unknownChat
    /// The message is larger than can be sent.
    case messageTooLarge
    /// This relay cannot be reached by others, so that nobody could write there.
    case unreachableInbox(RelayURL)
    /// A page does not say what it is.
    case metadata(LinkMetadataError)
    /// The proxy or the issuers of this device cannot be used.
    case network(NetworkSettings.Problem)
    /// An export could not be made or opened; a sentence.
    case export(String)
    /// No push service is set.
    case noPushService
    /// A push service.
    case push(PushClientError)
    /// No registered device, or several, are meant by this.
    case unknownDevice
    /// A text is no device token.
    case invalidDeviceToken
    /// The contacts.
    case contacts(ContactsError)
    /// The private preferences.
    case preferences(PreferencesError)
    /// Not every copy that decides was confirmed in time; the members whose copy no relay has confirmed.
    case unconfirmed([Bytes32])
    /// A key is no point of the curve, so nothing can be sent to it.
    case invalidKey(Bytes32)
    /// What was to be sent may not be.
    case notPermitted(OutgoingError)
    /// The account's database.
    case store(SessionStoreError)
    /// A file of the account.
    case files(IdentityError)
    /// There is no such session here.
    case unknownSession(String)
    /// Several sessions have this name or begin of an id.
    case ambiguousSession(String, [SessionID])
    /// Nobody is called so by this account.
    case unknownAlias(String)
    /// Several people are called so by this account.
    case ambiguousAlias(String, [Bytes32])
    /// There is no such post here.
    case unknownPost(String)
    /// Several posts begin with this.
    case ambiguousPost(String, [EventID])

    public var description: String {
        switch self {
        case .noRelayEnabled: "No relay is enabled: add one with `linkstr relay add URL`."
        case .noRelayReached(let reasons):
            "No relay could be reached: " + Self.list(reasons)
        case .onlyReadOnlyRelays(let reasons):
            "Every relay refuses to take messages: " + Self.list(reasons)
        case .refused(let members, let reason):
            "No relay took the copy for \(Self.names(members)): \(reason.isEmpty ? "no reason was given" : TypedText.line(reason)). "
                + "A member whom all relays refuse can be removed from the session."
        case .unconfirmed(let members):
            "No relay confirmed the copy for \(Self.names(members)) in time; it may have arrived all the same."
        case .notAccepted(let outcomes): "No relay took it: " + Self.list(outcomes.mapValues(\.description))
        case .copiesRefused(let reason):
            "Relays refuse to drop the copies of this post (\(TypedText.line(reason))), so nothing was deleted. "
                + "With --keep-copies the members are told to delete it all the same."
        case .noAnswer(let reasons):
            "Not every relay answered, so it is not known what there is: "
                + (reasons.isEmpty ? "none could be asked" : Self.list(reasons)) + ". Try again."
        case .noInbox(let keys):
            "\(Self.names(keys)) has not named relays for messages, so nothing was sent: they have to publish them first."
        case .unknownChat: "There is no such chat: `linkstr chat list` shows chats, with --requests those that wait."
        case .messageTooLarge: "The message is too large to be sent: shorten it."
        case .unreachableInbox(let url):
            "\(url.text) can only be reached from this machine: name a relay that others can write to."
        case .metadata(let error): error.description
        case .network(let problem): problem.description
        case .export(let sentence): sentence
        case .noPushService:
            "No push service is set: `linkstr config set push_service URL`, or \(PushClient.environmentVariable) in the environment."
        case .push(let error): error.description
        case .unknownDevice:
            "No device that was registered here is meant, or several are: `linkstr push status` lists them; any other needs its whole token."
        case .invalidDeviceToken: "A device token is one word of at most 512 characters."
        case .profileConflict: "Another device has changed the profile at the same time: look at it and try again."
        case .contacts(.listUnknown):
            "The follow list on the relays is not known yet, and a new one could overwrite it: connect and try again, or say that "
                + "this is the first list."
        case .contacts(.noSuchVersion):
            "There is no such earlier follow list: `linkstr contact history` shows those that are kept here."
        case .contacts(.shrinks(let old, let new)):
            "The follow list would shrink from \(old) to \(new): that needs --allow-shrink."
        case .contacts(let error): error.description
        case .preferences(let error): error.description
        case .invalidKey(let key): "\(key.hex) is no public key."
        case .notPermitted(let error): error.description
        case .store(let error): error.description
        case .files(let error): error.description
        case .unknownSession(let text):
            "There is no session \(TypedText.repeated(text)): `linkstr session list` shows those there are."
        case .ambiguousSession(let text, let ids):
            "Several sessions are meant by \(TypedText.repeated(text)): " + ids.map(\.text).joined(separator: ", ")
        case .unknownAlias(let text):
            "\(TypedText.repeated(text)) is neither a public key nor an alias of somebody: type an npub, or an alias that "
                + "`linkstr contact list` shows."
        case .ambiguousAlias(let text, let keys):
            "Several people have the alias \(TypedText.repeated(text)): \(Self.names(keys)). Type the npub."
        case .unknownPost(let text):
            "There is no post \(TypedText.postID(text)): `linkstr feed` shows posts with their ids."
        case .ambiguousPost(let text, let ids):
            "Several posts are meant by \(TypedText.repeated(text)): " + ids.map(\.hex).joined(separator: ", ")
        }
    }

    private static func list(_ reasons: [RelayURL: String]) -> String {
        reasons.map { "\($0.key.text): \(TypedText.line($0.value))" }.sorted().joined(separator: "; ")
    }

    private static func names(_ members: [Bytes32]) -> String {
        members.map(\.npub).joined(separator: ", ")
    }
}

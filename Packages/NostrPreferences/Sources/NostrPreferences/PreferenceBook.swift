public import NostrCrypto
public import NostrEvents

/// All records of one account: the newest version of each item, and which of them still have to be uploaded.
///
/// A value without clock or network. Books merge in any order to the same result, so that what two processes or devices stored can
/// be put together.
public struct PreferenceBook<Record: PreferenceRecord>: Sendable {
    struct Item: Sendable {
        var stored: StoredPreference<Record>
        var isPending: Bool
    }

    let space: PreferenceSpace
    var items: [ExactText: Item] = [:]
    /// The upload that was started and has not ended.
    private var uploading: EventID?

    /// An empty book.
    public init(space: PreferenceSpace) {
        self.space = space
    }

    // MARK: Reading

    /// The record of an item; nil if none was ever made or received.
    public subscript(itemKey: String) -> Record? {
        items[ExactText(itemKey)]?.stored.record
    }

    /// All records, in the order of their item keys. Those of items that the application does not know (yet) are among them.
    public var records: [Record] {
        items.sorted { $0.key < $1.key }.map(\.value.stored.record)
    }

    /// The event of an item, and whether it waits to be uploaded.
    public func stored(_ itemKey: String) -> (preference: StoredPreference<Record>, isPending: Bool)? {
        items[ExactText(itemKey)].map { ($0.stored, $0.isPending) }
    }

    /// The events that wait to be uploaded, the oldest first.
    public var pending: [Event] {
        items.values.filter(\.isPending).map(\.stored).sorted { $0.version < $1.version }.map(\.event)
    }

    // MARK: Choices made here

    /// Records a choice. It is dated now, or a second after the version it replaces if that is not earlier, and waits to be uploaded.
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The new event; nil if the value is the same as before.
    /// - Throws: ``PreferencesError/tooLarge(_:)`` or ``PreferencesError/timeExhausted``; then nothing has changed.
    @discardableResult
    public mutating func set(
        _ record: Record,
        now: Int64,
        random: RandomSource = .system
    ) throws(PreferencesError) -> Event? {
        let before = items[ExactText(record.itemKey)]?.stored
        if let before, before.record == record { return nil }
        guard let time = ReplaceableVersion.time(after: before?.version.createdAt, now: now) else {
            throw .timeExhausted
        }
        let stored = try space.encode(
            record,
            over: before?.object ?? JSONObject(),
            createdAt: time,
            random: random
        )
        items[ExactText(record.itemKey)] = Item(stored: stored, isPending: true)
        return stored.event
    }

    /// Clears an item, with a record that says so.
    /// - Returns: The new event; nil if there is no such item or it is cleared already.
    /// - Throws: What ``set(_:now:random:)`` throws.
    @discardableResult
    public mutating func clear(
        _ itemKey: String,
        now: Int64,
        random: RandomSource = .system
    ) throws(PreferencesError) -> Event? {
        guard let record = self[itemKey] else { return nil }
        return try set(record.cleared, now: now, random: random)
    }

    /// Makes records of choices from before there were any: only where there is none, dated when the choice was made at the earliest
    /// so that none outranks a choice on a relay.
    /// - Parameters:
    ///   - choices: Each with the second since 1970 in which its contact, session or whatever it belongs to came to be.
    ///   - isHistoryComplete: Whether all relays have sent what they have, see ``PreferenceRestore``.
    /// - Returns: The new events.
    /// - Throws: ``PreferencesError/historyIncomplete`` or ``PreferencesError/tooLarge(_:)``; then nothing has changed.
    @discardableResult
    public mutating func seed(
        _ choices: [(record: Record, since: Int64)],
        isHistoryComplete: Bool,
        random: RandomSource = .system
    ) throws(PreferencesError) -> [Event] {
        guard isHistoryComplete else { throw .historyIncomplete }
        var new = items
        var events: [Event] = []
        for choice in choices where new[ExactText(choice.record.itemKey)] == nil {
            let stored = try space.encode(choice.record, createdAt: max(1, choice.since), random: random)
            new[ExactText(choice.record.itemKey)] = Item(stored: stored, isPending: true)
            events.append(stored.event)
        }
        items = new
        return events
    }

    // MARK: What relays send

    /// What an incoming event did.
    public enum Receipt: Equatable, Sendable {
        /// It is the version of its item now; the item's key and record are new.
        case applied(Record)
        /// It is the version that is stored: a relay has it, nothing waits to be uploaded any more.
        case confirmed
        /// A newer version is stored.
        case stale
    }

    /// Takes a checked event.
    /// - Throws: What ``PreferenceSpace/decode(_:as:)`` throws; the event is to be ignored.
    @discardableResult
    public mutating func receive(_ event: Event) throws(PreferencesError) -> Receipt {
        let incoming = try space.decode(event, as: Record.self)
        return merge(Item(stored: incoming, isPending: false))
    }

    private mutating func merge(_ incoming: Item) -> Receipt {
        let key = ExactText(incoming.stored.record.itemKey)
        guard let known = items[key] else {
            items[key] = incoming
            return .applied(incoming.stored.record)
        }
        if incoming.stored.version == known.stored.version {
            items[key]?.isPending = known.isPending && incoming.isPending
            return .confirmed
        }
        guard incoming.stored.version > known.stored.version else { return .stale }
        items[key] = incoming
        return .applied(incoming.stored.record)
    }

    /// Takes over what another book of the same space has. The order in which books are merged does not matter.
    public mutating func merge(_ other: PreferenceBook) {
        guard other.space.owner.publicKey == space.owner.publicKey,
            ExactText(other.space.namespace) == ExactText(space.namespace)
        else { return }
        for item in other.items.values { _ = merge(item) }
    }

    // MARK: Uploading

    /// Starts the next upload; one runs at a time.
    /// - Returns: The event to publish; nil if one is on its way or none waits.
    public mutating func startUpload() -> Event? {
        guard uploading == nil, let next = pending.first else { return nil }
        uploading = next.id
        return next
    }

    /// Ends the upload of an event. If it failed or was cancelled, or the item has changed meanwhile, the item still waits.
    public mutating func finishUpload(of id: EventID, isAccepted: Bool) {
        if uploading == id { uploading = nil }
        guard isAccepted, let key = items.first(where: { $0.value.stored.event.id == id })?.key else { return }
        items[key]?.isPending = false
    }
}

public import NostrEvents

/// The relays where somebody writes and reads (NIP-65, kind 10002).
public struct RelayList: Sendable, Equatable {
    /// Where its owner publishes: ask here for events by the owner.
    public var write: [RelayURL] = []
    /// Where its owner looks for mentions: publish here what mentions the owner.
    public var read: [RelayURL] = []

    /// The most relays that are taken from one list.
    public static let mostRelays = 100

    /// A list made by hand.
    public init(write: [RelayURL] = [], read: [RelayURL] = []) {
        self.write = write
        self.read = read
    }

    /// Reads a list. Entries that are no relay addresses are left out, as are repeated ones and markers that nobody knows.
    ///
    /// - Returns: nil if the event is of another kind.
    public init?(_ event: Event) {
        guard event.kind == .relayList else { return nil }
        for tag in event.tags where tag.name == "r" {
            guard let url = tag.value.flatMap({ try? RelayURL($0) }) else { continue }
            let marker = tag[2] ?? ""
            if ["", "write"].contains(marker) { write.appendOnce(url) }
            if ["", "read"].contains(marker) { read.appendOnce(url) }
        }
    }

    /// The tags of an event of kind 10002.
    public var tags: [Tag] {
        let both = Set(write).intersection(read)
        return write.map { both.contains($0) ? Tag("r", $0.text) : Tag("r", $0.text, "write") }
            + read.filter { !both.contains($0) }.map { Tag("r", $0.text, "read") }
    }
}

/// The relays where somebody wants to get direct messages (NIP-17, kind 10050).
public struct DirectMessageRelays: Sendable, Equatable {
    /// In the order of the list.
    public var relays: [RelayURL]

    /// A list made by hand.
    public init(_ relays: [RelayURL]) {
        self.relays = relays
    }

    /// Reads a list; entries that are no relay addresses are left out, as are repeated ones.
    ///
    /// - Returns: nil if the event is of another kind.
    public init?(_ event: Event) {
        guard event.kind == .directMessageRelays else { return nil }
        relays = []
        for tag in event.tags where tag.name == "relay" {
            if let url = tag.value.flatMap({ try? RelayURL($0) }) { relays.appendOnce(url) }
        }
    }

    /// The tags of an event of kind 10050.
    public var tags: [Tag] { relays.map { Tag("relay", $0.text) } }
}

extension [RelayURL] {
    fileprivate mutating func appendOnce(_ url: RelayURL) {
        if count < RelayList.mostRelays, !contains(url) { append(url) }
    }
}

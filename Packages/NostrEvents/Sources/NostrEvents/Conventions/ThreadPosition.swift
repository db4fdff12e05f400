public import NostrCrypto

/// Where a text note stands in a thread (NIP-10): what it answers and what began the thread.
public struct ThreadPosition: Sendable, Equatable {
    /// The note that began the thread.
    public let root: EventReference
    /// The note that is answered; the same as ``root`` in an answer to that.
    public let parent: EventReference
    /// Other notes that are named by an `e` tag.
    public let mentions: [EventReference]

    /// Reads the `e` tags of a note; nil if it answers nothing.
    ///
    /// Marked tags are preferred: if any tag is marked `root` or `reply`, tags without those marks are mentions. If none is,
    /// positions count as in old notes: the first is the root, the last the parent, and those between are mentions. Where
    /// only a `reply` is marked, the note that it names counts as the root too. `e` tags without a valid id are ignored.
    public init?(tags: some Sequence<Tag>) {
        var tagged: [MarkedReference] = []
        for tag in tags where tag.name == "e" {
            if let reference = MarkedReference(tag) { tagged.append(reference) }
        }
        guard let first = tagged.first, let last = tagged.last else { return nil }
        let rootIndex = tagged.firstIndex { $0.marker == .root }
        let replyIndex = tagged.firstIndex { $0.marker == .reply }
        if let parentIndex = replyIndex ?? rootIndex {
            root = tagged[rootIndex ?? parentIndex].reference
            parent = tagged[parentIndex].reference
            mentions = tagged.indices.filter { $0 != rootIndex && $0 != replyIndex }.map { tagged[$0].reference }
        } else if tagged.contains(where: { $0.marker == .mention }) {
            let positional = tagged.filter { $0.marker == nil }
            guard let first = positional.first, let last = positional.last else { return nil }
            root = first.reference
            parent = last.reference
            mentions =
                tagged.filter { $0.marker == .mention }.map(\.reference)
                + positional.dropFirst().dropLast().map(\.reference)
        } else {
            root = first.reference
            parent = last.reference
            mentions = tagged.dropFirst().dropLast().map(\.reference)
        }
    }

    /// The `e` and `p` tags of an answer to a note.
    ///
    /// The thread's root keeps the hints that the note gives for it. The `p` tags name the note's author and everybody whom
    /// the note names, each once; `author`, who answers, is left out.
    /// - Parameters:
    ///   - relay: Where the answered note is found; "" if unknown.
    ///   - author: The public key of who answers.
    public static func replyTags(to note: Event, relay: String = "", by author: Bytes32? = nil) -> [Tag] {
        let parent = EventReference(id: note.id, relays: relay.isEmpty ? [] : [relay], author: note.pubkey)
        var tags: [Tag] = []
        if let thread = ThreadPosition(tags: note.tags) {
            tags = [tag(thread.root, .root), tag(parent, .reply)]
        } else {
            tags = [tag(parent, .root)]
        }
        var named: Set<Bytes32> = []
        if let author { named.insert(author) }
        let keys = [note.pubkey] + note.tags.values(named: "p").compactMap { try? Bytes32(hex: $0) }
        for key in keys where named.insert(key).inserted {
            tags.append(Tag("p", key.hex))
        }
        return tags
    }

    private static func tag(_ reference: EventReference, _ marker: Marker) -> Tag {
        let start = Tag("e", reference.id.hex, reference.relays.first ?? "", marker.rawValue)
        guard let author = reference.author else { return start }
        return Tag(elements: start.elements + [author.hex]) ?? start
    }
}

private enum Marker: String {
    case root
    case reply
    /// No longer in the NIP, still in notes.
    case mention
}

/// `["e", id, relay, marker, pubkey]`, or `["e", id, relay, pubkey]` as in NIP-01.
private struct MarkedReference {
    let reference: EventReference
    let marker: Marker?

    init?(_ tag: Tag) {
        guard let value = tag.value, let id = try? EventID(hex: value) else { return nil }
        let relay = tag[2] ?? ""
        marker = tag[3].flatMap(Marker.init(rawValue:))
        let author = [tag[4], tag[3]].lazy.compactMap { $0.flatMap { try? Bytes32(hex: $0) } }.first
        reference = EventReference(id: id, relays: relay.isEmpty ? [] : [relay], author: author)
    }
}

import NostrCrypto
import NostrEvents

/// Makes the 48-bit keys by which events are found, six bytes in a row of SQLite. What is found is compared with the event, so
/// a collision costs time only.
struct IndexKeys: Sendable {
    private let key0: UInt64
    private let key1: UInt64

    /// All events, by time.
    static let all: Int64 = 0
    /// All events of a kind, by time; the kind is the entry's `kind`.
    static let kind: Int64 = 1

    init(secret: [UInt8]) {
        var words: [UInt64] = [0, 0]
        for (index, byte) in secret.prefix(16).enumerated() { words[index / 8] |= UInt64(byte) << (index % 8 * 8) }
        key0 = words[0]
        key1 = words[1]
    }

    func id(_ id: EventID) -> Int64 {
        hash(1) { hash in id.bytes.withUnsafeBytes { hash.update($0) } }
    }

    func author(_ pubkey: Bytes32) -> Int64 {
        hash(2) { hash in pubkey.withUnsafeBytes { hash.update($0) } }
    }

    func tag(_ letter: TagLetter, _ value: String) -> Int64 {
        hash(letter.ascii) { hash in
            var value = value
            value.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        }
    }

    /// The address of an addressable event; the kind is the entry's `kind`.
    func address(_ pubkey: Bytes32, _ identifier: String) -> Int64 {
        hash(3) { hash in
            pubkey.withUnsafeBytes { hash.update($0) }
            hash.update(identifier.utf8)
        }
    }

    /// What an author's deletion request says of an id.
    func deletion(by author: Bytes32, of id: EventID) -> Int64 {
        hash(4) { hash in
            author.withUnsafeBytes { hash.update($0) }
            id.bytes.withUnsafeBytes { hash.update($0) }
        }
    }

    /// What an author's deletion request says of an address of his own.
    func deletion(by author: Bytes32, kind: Kind, identifier: String) -> Int64 {
        hash(5) { hash in
            author.withUnsafeBytes { hash.update($0) }
            hash.update(UInt8(truncatingIfNeeded: kind.rawValue))
            hash.update(UInt8(truncatingIfNeeded: kind.rawValue >> 8))
            hash.update(identifier.utf8)
        }
    }

    // Letters are above 64, so they are domains of their own.
    private func hash(_ domain: UInt8, _ body: (inout SipHash) -> Void) -> Int64 {
        var hash = SipHash(key0: key0, key1: key1 ^ UInt64(domain))
        body(&hash)
        let key = Int64(bitPattern: hash.finalize()) >> 16
        // The two keys with a meaning of their own are not for others.
        return key == Self.all || key == Self.kind ? 2 : key
    }
}

extension IndexKeys {
    /// The entries of an event in the index.
    func entries(of event: some Indexable, row: Int64) -> [IndexEntry] {
        let kind = Int32(event.kind.rawValue)
        func entry(_ key: Int64, _ kind: Int32) -> IndexEntry {
            IndexEntry(key: key, kind: kind, place: Place(event.createdAt, event.id), row: row)
        }
        var entries = [entry(Self.all, 0), entry(Self.kind, kind), entry(author(event.pubkey), kind)]
        var tagKeys: Set<Int64> = []
        for tag in event.tags {
            guard let letter = tag.letter, let value = tag.value else { continue }
            let key = self.tag(letter, value)
            if tagKeys.insert(key).inserted { entries.append(entry(key, kind)) }
        }
        if event.kind.retention == .addressable {
            entries.append(entry(address(event.pubkey, event.tags.identifier), kind))
        }
        return entries
    }
}

/// What the index needs to know of an event.
protocol Indexable {
    var id: EventID { get }
    var pubkey: Bytes32 { get }
    var createdAt: Int64 { get }
    var kind: Kind { get }
    var tags: Tags { get }
}

extension Event: Indexable {}
extension WireEvent: Indexable {}

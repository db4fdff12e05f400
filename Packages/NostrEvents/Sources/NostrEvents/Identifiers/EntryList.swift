import NostrCrypto

/// The entries inside an nprofile, nevent or naddr: type and length in a byte each, then the value (NIP-19, "TLV").
struct EntryList {
    enum EntryType {
        static let special: UInt8 = 0
        static let relay: UInt8 = 1
        static let author: UInt8 = 2
        static let kind: UInt8 = 3
    }

    private(set) var bytes: [UInt8] = []
    private var entries: [(type: UInt8, value: ArraySlice<UInt8>)] = []

    /// No entries, to be written.
    init() {}

    /// Reads entries.
    init(_ bytes: [UInt8]) throws(EventError) {
        var rest = bytes[...]
        while let type = rest.popFirst() {
            guard let length = rest.popFirst(), rest.count >= length else { throw .invalidIdentifier(.truncated) }
            entries.append((type, rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        self.bytes = bytes
    }

    func first(_ type: UInt8) -> ArraySlice<UInt8>? {
        entries.first { $0.type == type }?.value
    }

    func first32(_ type: UInt8) throws(EventError) -> Bytes32? {
        guard let value = first(type) else { return nil }
        do {
            return try Bytes32(value)
        } catch {
            throw .invalidIdentifier(.wrongLength)
        }
    }

    func special32() throws(EventError) -> Bytes32 {
        guard let value = try first32(EntryType.special) else { throw .invalidIdentifier(.missingEntry) }
        return value
    }

    func kind() throws(EventError) -> Kind? {
        guard let value = first(EntryType.kind) else { return nil }
        guard value.count == 4 else { throw .invalidIdentifier(.wrongLength) }
        guard let kind = UInt16(exactly: value.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) else {
            throw .invalidIdentifier(.invalidKind)
        }
        return Kind(rawValue: kind)
    }

    func relays() -> [String] {
        entries.compactMap { entry in
            guard entry.type == EntryType.relay, Self.isRelayHint(entry.value) else { return nil }
            return String(decoding: entry.value, as: UTF8.self)
        }
    }

    mutating func append(_ type: UInt8, _ value: some Collection<UInt8>) throws(EventError) {
        guard let length = UInt8(exactly: value.count) else { throw .invalidIdentifier(.invalidIdentifierText) }
        bytes.append(type)
        bytes.append(length)
        bytes.append(contentsOf: value)
    }

    mutating func append(relays: [String]) throws(EventError) {
        for relay in relays {
            guard relay.utf8.count <= 255, Self.isRelayHint(relay.utf8) else {
                throw .invalidIdentifier(.invalidRelayHint)
            }
            try append(EntryType.relay, relay.utf8)
        }
    }

    mutating func append(_ kind: Kind) throws(EventError) {
        try append(EntryType.kind, [0, 0, UInt8(kind.rawValue >> 8), UInt8(kind.rawValue & 0xff)])
    }

    private static func isRelayHint(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (33...126).contains($0) }
    }
}

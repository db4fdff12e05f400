import NostrCrypto
import NostrEvents

/// The gift wraps of a post, packed: id, number of the recipient, whether this device sent it.
struct WrapList {
    private(set) var bytes: [UInt8]

    /// Beside those of its own sending a post keeps so many.
    static let maximumReceived = 64
    private static let entrySize = 41

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    struct Entry {
        let id: EventID
        let recipient: Int64
        let isOwnSending: Bool
    }

    /// In the order in which they came.
    var entries: [Entry] {
        stride(from: 0, to: bytes.count - bytes.count % Self.entrySize, by: Self.entrySize).compactMap { start in
            guard let id = try? Bytes32(bytes[start..<start + 32]) else { return nil }
            let number = bytes[start + 32..<start + 40].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Entry(id: EventID(id), recipient: Int64(bitPattern: number), isOwnSending: bytes[start + 40] == 1)
        }
    }

    /// Adds a wrap unless it is there or there are too many.
    mutating func add(_ id: EventID, _ recipient: Int64, isOwnSending: Bool) -> Bool {
        let known = entries
        guard !known.contains(where: { $0.id == id }) else { return false }
        guard isOwnSending || known.count(where: { !$0.isOwnSending }) < Self.maximumReceived else { return false }
        id.bytes.withUnsafeBytes { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: recipient.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(isOwnSending ? 1 : 0)
        return true
    }
}

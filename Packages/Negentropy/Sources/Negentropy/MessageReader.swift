import NostrCrypto
import NostrEvents

/// Reads a message range by range, keeping nothing.
struct MessageReader {
    struct Entry {
        let lower: NegentropyBound
        let upper: NegentropyBound
        let payload: Payload
    }

    enum Payload {
        case skip
        case fingerprint(NegentropyFingerprint)
        case idList(IDList)
    }

    private let bytes: [UInt8]
    private var position: Int
    private var previous = NegentropyBound.zero

    /// The version byte of a message.
    static func version(of message: [UInt8]) throws(NegentropyError) -> UInt8 {
        guard let version = message.first, version & 0xf0 == 0x60 else { throw .notNegentropy }
        return version
    }

    /// A reader of the ranges of a message whose version has been checked.
    init(_ message: [UInt8]) {
        bytes = message
        position = 1
    }

    /// The next range, or nil at the end.
    mutating func next() throws(NegentropyError) -> Entry? {
        guard position < bytes.count else { return nil }
        let lower = previous
        guard lower != .infinity else { throw .malformedMessage(.order) }
        let upper = try bound()
        guard lower <= upper else { throw .malformedMessage(.order) }
        previous = upper
        return Entry(lower: lower, upper: upper, payload: try payload())
    }

    private mutating func payload() throws(NegentropyError) -> Payload {
        switch try varint() {
        case RangeMode.skip:
            return .skip
        case RangeMode.fingerprint:
            return .fingerprint(NegentropyFingerprint(try take(NegentropyFingerprint.size)))
        case RangeMode.idList:
            let count = try varint()
            guard count <= UInt64(bytes.count - position) / 32 else { throw .truncatedMessage }
            return .idList(IDList(bytes: try take(Int(count) * 32)))
        default:
            throw .malformedMessage(.mode)
        }
    }

    private mutating func bound() throws(NegentropyError) -> NegentropyBound {
        let encoded = try varint()
        let length = try varint()
        guard length <= 32 else { throw .malformedMessage(.idPrefix) }
        let prefix = try take(Int(length))
        if encoded == 0 {
            guard prefix.isEmpty else { throw .malformedMessage(.idPrefix) }
            return .infinity
        }
        let (timestamp, overflow) = previous.timestamp.addingReportingOverflow(encoded - 1)
        guard !overflow, timestamp != .max else { throw .malformedMessage(.timestamp) }
        guard let id = try? Bytes32(prefix + repeatElement(0, count: 32 - prefix.count)) else {
            throw .malformedMessage(.idPrefix)
        }
        return NegentropyBound(timestamp: timestamp, id: EventID(id), prefixLength: UInt8(length))
    }

    private mutating func varint() throws(NegentropyError) -> UInt64 {
        var value: UInt64 = 0
        var isFirst = true
        while true {
            guard position < bytes.count else { throw .truncatedMessage }
            let byte = bytes[position]
            position += 1
            if isFirst, byte == 0x80 { throw .malformedMessage(.varint) }
            guard value >> 57 == 0 else { throw .malformedMessage(.varint) }
            value = value << 7 | UInt64(byte & 0x7f)
            guard byte & 0x80 != 0 else { return value }
            isFirst = false
        }
    }

    private mutating func take(_ count: Int) throws(NegentropyError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw .truncatedMessage }
        defer { position += count }
        return bytes[position..<(position + count)]
    }
}

/// The IDs of a range as they stand in a message.
struct IDList {
    /// Whole IDs of 32 bytes one behind the other.
    let bytes: ArraySlice<UInt8>

    var count: Int { bytes.count / 32 }

    func contents() -> [EventID] {
        bytes.withUnsafeBytes { bytes in
            (0..<count).compactMap { index in
                (try? Bytes32(bytes[(index * 32)..<(index * 32 + 32)])).map(EventID.init)
            }
        }
    }
}

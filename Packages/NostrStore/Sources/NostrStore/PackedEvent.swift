import NostrCrypto
import NostrEvents

/// An event as it lies in a row.
///
/// Version byte, id, public key, signature (r, s), then as variable-length integers: time, kind, expiration + 1 or 0, and the
/// length of the tags; then the tags and, to the end, the content. Tags and content are the canonical JSON of the event,
/// the content without its quotes, but each tag element of 64 lower-case hex digits is the byte 0xFF, which no UTF-8
/// contains, and 32 bytes.
struct PackedEvent {
    static let version: UInt8 = 1

    let id: EventID
    let pubkey: Bytes32
    let createdAt: Int64
    let kind: Kind
    /// Seconds since 1970 from which on the event does not count (NIP-40).
    let expiration: Int64?
    private let tags: Range<Int>
    private let content: Range<Int>

    private static let fixedSize = 1 + 32 + 32 + 64

    /// Reads everything but tags and content; nil if the bytes are no packed event.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedSize, bytes[0] == Self.version,
            let id = try? Bytes32(UnsafeRawBufferPointer(rebasing: bytes[1..<33])),
            let pubkey = try? Bytes32(UnsafeRawBufferPointer(rebasing: bytes[33..<65]))
        else { return nil }
        var offset = Self.fixedSize
        guard let time = Varint.read(bytes, &offset), let createdAt = Int64(exactly: time),
            let number = Varint.read(bytes, &offset), let kind = UInt16(exactly: number),
            let expiration = Varint.read(bytes, &offset),
            let length = Varint.read(bytes, &offset), length <= UInt64(bytes.count - offset)
        else { return nil }
        self.id = EventID(id)
        self.pubkey = pubkey
        self.createdAt = createdAt
        self.kind = Kind(rawValue: kind)
        self.expiration = expiration == 0 ? nil : Int64(exactly: expiration - 1)
        tags = offset..<offset + Int(length)
        content = tags.upperBound..<bytes.count
    }

    /// Whether it meets all conditions of a filter but those on tags.
    func matches(_ filter: Filter) -> Bool {
        if let since = filter.since, createdAt < since { return false }
        if let until = filter.until, createdAt > until { return false }
        if let kinds = filter.kinds, !kinds.contains(kind) { return false }
        if let authors = filter.authors, !authors.contains(pubkey) { return false }
        if let ids = filter.ids, !ids.contains(id) { return false }
        return true
    }

    func hasExpired(at now: Int64) -> Bool {
        expiration.map { $0 <= now } ?? false
    }

    /// The event as compact JSON in the order of NIP-01.
    func json(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // The fixed parts have 71 bytes, the numbers at most 24; a packed element of 33 bytes becomes one of 66.
        let capacity = 400 + tags.count * 2 + content.count
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var output = Output(target: UnsafeMutableRawBufferPointer(buffer))
            output.append(EventText.id)
            output.appendHex(bytes, 1..<33)
            output.append(EventText.pubkey)
            output.appendHex(bytes, 33..<65)
            output.append(EventText.createdAt)
            output.append(Array(String(createdAt).utf8))
            output.append(EventText.kind)
            output.append(Array(String(kind.rawValue).utf8))
            output.append(EventText.tags)
            appendTags(bytes, to: &output)
            output.append(EventText.content)
            output.append(bytes, content)
            output.append(EventText.signature)
            output.appendHex(bytes, 65..<129)
            output.append(EventText.end)
            count = output.count
        }
    }

    private func appendTags(_ bytes: UnsafeRawBufferPointer, to output: inout Output) {
        var next = tags.lowerBound
        while next < tags.upperBound {
            if bytes[next] == 0xff, next + 33 <= tags.upperBound {
                output.append(UInt8(ascii: "\""))
                output.appendHex(bytes, next + 1..<next + 33)
                output.append(UInt8(ascii: "\""))
                next += 33
            } else {
                var end = next + 1
                while end < tags.upperBound, bytes[end] != 0xff { end += 1 }
                output.append(bytes, next..<end)
                next = end
            }
        }
    }

    /// Writes into a buffer that is large enough; what would not fit is left out.
    private struct Output {
        let target: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(target: UnsafeMutableRawBufferPointer) {
            self.target = target
        }

        mutating func append(_ byte: UInt8) {
            guard count < target.count else { return }
            target[count] = byte
            count += 1
        }

        mutating func append(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { append($0, 0..<$0.count) }
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            guard range.count <= target.count - count else { return }
            UnsafeMutableRawBufferPointer(rebasing: target[count...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
            count += range.count
        }

        mutating func appendHex(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            guard range.count * 2 <= target.count - count else { return }
            // Always a multiple of four bytes, of which one word of eight digits is made at once.
            for index in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
                let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                target.storeBytes(of: Self.digits(word).littleEndian, toByteOffset: count, as: UInt64.self)
                count += 8
            }
        }

        @inline(__always)
        private static func digits(_ word: UInt32) -> UInt64 {
            var spread = UInt64(word)
            spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff
            spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff
            let low: UInt64 = 0x000f_000f_000f_000f
            let nibbles = (spread >> 4) & low | (spread & low) << 8
            // 39 lie between '9' and 'a'.
            let letters = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
            return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
        }
    }
}

/// The fixed parts of an event's JSON.
enum EventText {
    static let id = Array(#"{"id":""#.utf8)
    static let pubkey = Array(#"","pubkey":""#.utf8)
    static let createdAt = Array(#"","created_at":"#.utf8)
    static let kind = Array(#","kind":"#.utf8)
    static let tags = Array(#","tags":"#.utf8)
    static let content = Array(#","content":""#.utf8)
    static let signature = Array(#"","sig":""#.utf8)
    static let end = Array(#""}"#.utf8)
}

extension PackedEvent {
    /// Packs an event.
    static func pack(_ event: Event, expiration: Int64?) -> [UInt8] {
        let json = event.json
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        output.append(version)
        event.id.bytes.withUnsafeBytes { output.append(contentsOf: $0) }
        event.pubkey.withUnsafeBytes { output.append(contentsOf: $0) }
        event.signature.r.withUnsafeBytes { output.append(contentsOf: $0) }
        event.signature.s.withUnsafeBytes { output.append(contentsOf: $0) }
        Varint.append(UInt64(event.createdAt), to: &output)
        Varint.append(UInt64(event.kind.rawValue), to: &output)
        Varint.append(expiration.map { UInt64($0) &+ 1 } ?? 0, to: &output)

        let tagsStart =
            EventText.id.count + 64 + EventText.pubkey.count + 64 + EventText.createdAt.count
            + String(event.createdAt).utf8.count + EventText.kind.count + String(event.kind.rawValue).utf8.count
            + EventText.tags.count
        let (tags, tagsEnd) = packTags(json, from: tagsStart)
        Varint.append(UInt64(tags.count), to: &output)
        output.append(contentsOf: tags)
        let contentEnd = json.count - EventText.signature.count - 128 - EventText.end.count
        output.append(contentsOf: json[(tagsEnd + EventText.content.count)..<contentEnd])
        return output
    }

    /// Copies the array that starts at `start`, with the hexadecimal strings packed, and says where it ends.
    private static func packTags(_ json: [UInt8], from start: Int) -> (tags: [UInt8], end: Int) {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        var depth = 0
        var next = start
        while next < json.count {
            let byte = json[next]
            switch byte {
            case UInt8(ascii: "\""):
                let end = stringEnd(json, next)
                if end - next != 66 || !appendPacked(json[(next + 1)..<(end - 1)], to: &output) {
                    output.append(contentsOf: json[next..<end])
                }
                next = end
                continue
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            default: break
            }
            output.append(byte)
            next += 1
            if depth == 0 { break }
        }
        return (output, next)
    }

    /// The index behind the closing quote of the string that starts at `start`.
    private static func stringEnd(_ json: [UInt8], _ start: Int) -> Int {
        var next = start + 1
        while next < json.count {
            switch json[next] {
            case UInt8(ascii: "\\"): next += 2
            case UInt8(ascii: "\""): return next + 1
            default: next += 1
            }
        }
        return json.count
    }

    /// Appends 64 lower-case hexadecimal digits packed; false, with nothing appended, if they are not.
    private static func appendPacked(_ digits: ArraySlice<UInt8>, to output: inout [UInt8]) -> Bool {
        let start = output.count
        output.append(0xff)
        var index = digits.startIndex
        while index < digits.endIndex {
            let (high, low) = (value(digits[index]), value(digits[index + 1]))
            guard high | low < 16 else {
                output.removeSubrange(start...)
                return false
            }
            output.append(high << 4 | low)
            index += 2
        }
        return true
    }

    /// Of a digit; 0xFF of anything else.
    @inline(__always)
    private static func value(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 0x30...0x39: digit &- 0x30
        case 0x61...0x66: digit &- 0x57
        default: 0xff
        }
    }
}

/// Unsigned integers of seven bits a byte, the lowest first.
enum Varint {
    static func append(_ value: UInt64, to output: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }

    static func read(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}

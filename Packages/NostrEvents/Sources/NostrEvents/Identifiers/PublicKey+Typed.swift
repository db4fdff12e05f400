public import NostrCrypto

extension PublicKey {
    /// Texts with more bytes of UTF-8 than this are not searched for a key.
    public static let maximumTypedLength = 65_536

    /// Finds the key in what a person typed or pasted. The first of these that gives a key counts:
    ///
    /// 1. the whole text, without white space around it and a `nostr:` before it, is an npub, an nprofile or 64 hexadecimal
    ///    digits in any case;
    /// 2. an npub or nprofile somewhere in the text, the first whose checksum is right;
    /// 3. a query item of a link that is named `npub`, in any case, and holds one of the forms of 1.
    ///
    /// - Throws: ``EventError/invalidIdentifier(_:)`` with ``IdentifierProblem/noPublicKey`` or
    ///   ``IdentifierProblem/textTooLong(limit:)``.
    public init(typed text: String) throws(EventError) {
        guard text.utf8.count <= Self.maximumTypedLength else {
            throw .invalidIdentifier(.textTooLong(limit: Self.maximumTypedLength))
        }
        let bytes = Array(text.utf8)
        guard
            let key = TypedText.whole(text) ?? TypedText.first(in: bytes) ?? TypedText.queryItem(in: bytes)
        else { throw .invalidIdentifier(.noPublicKey) }
        self = key
    }
}

private enum TypedText {
    static func whole(_ text: String) -> PublicKey? {
        let trimmed = text.trimmed
        let bare = trimmed.droppingNostrScheme ?? trimmed
        if bare.utf8.count == 64 {
            return try? PublicKey(hex: bare.lowercased())
        }
        return (try? NIP19(bare))?.publicKey
    }

    /// A prefix holds characters that no data has, so no two candidates overlap and the work is linear.
    static func first(in bytes: [UInt8]) -> PublicKey? {
        var position = 0
        while position < bytes.count {
            guard let data = prefixes.compactMap({ dataStart(behind: $0, in: bytes, at: position) }).first else {
                position += 1
                continue
            }
            let end = bytes[data...].firstIndex { !alphabet.contains($0) } ?? bytes.count
            if end - data >= shortestData {
                let candidate = String(decoding: bytes[position..<end], as: UTF8.self)
                if let key = (try? NIP19(candidate))?.publicKey { return key }
            }
            position = end
        }
        return nil
    }

    static func queryItem(in bytes: [UInt8]) -> PublicKey? {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = bytes[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }
        for item in query.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "npub" else { continue }
            if let key = whole(String(decoding: percentDecoded(parts[1]), as: UTF8.self)) { return key }
        }
        return nil
    }

    private static let prefixes = ["npub1", "nprofile1"].map { Array($0.utf8) }
    private static let shortestData = 20
    private static let alphabet = Set("qpzry9x8gf2tvdw0s3jn54khce6mua7lQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".utf8)

    private static func dataStart(behind prefix: [UInt8], in bytes: [UInt8], at position: Int) -> Int? {
        guard prefix.count <= bytes.count - position else { return nil }
        for (character, byte) in zip(prefix, bytes[position...]) {
            let lowered = (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
            guard lowered == character else { return nil }
        }
        return position + prefix.count
    }

    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let value = (try? Hex.decode(digits, accepting: .either))?.first {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}

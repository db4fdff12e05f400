import NostrCrypto

extension EventBody {
    /// The body of an event made here. Its buffer is the serialisation that is hashed into the id.
    init(pubkey: Bytes32, createdAt: Int64, kind: Kind, tags: some Sequence<Tag>, content: String) {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(128 + content.utf8.count + content.utf8.count / 16)
        var layout = EventLayout()
        layout.pubkey = pubkey
        layout.createdAt = createdAt
        layout.kind = kind

        Self.appendStart(layout, to: &buffer)
        let tagsStart = buffer.count
        buffer.append(ASCII.openBracket)
        for tag in tags {
            if layout.tagCount > 0 { buffer.append(ASCII.comma) }
            tag.appendJSON(to: &buffer)
            layout.tagCount += 1
        }
        buffer.append(ASCII.closeBracket)
        layout.tags = tagsStart..<buffer.count
        buffer.append(ASCII.comma)
        let contentStart = buffer.count + 1
        CanonicalEscape.append(content, to: &buffer)
        let contentRange = contentStart..<(buffer.count - 1)
        layout.content = JSONString(
            range: contentRange,
            hasEscapes: contentRange.count != content.utf8.count,
            isCanonical: true
        )
        buffer.append(ASCII.closeBracket)

        self.buffer = buffer
        self.layout = layout
    }

    /// Appends `[0,"<pubkey>",<created_at>,<kind>,`.
    private static func appendStart(_ layout: EventLayout, to output: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(byteCount: startCapacity, alignment: 8) { start in
            let count = unsafe writeStart(layout, to: start)
            unsafe output.append(contentsOf: start[..<count])
        }
    }

    /// Writes `[0,"<pubkey>",<created_at>,<kind>,` and returns how many bytes it has.
    private static func writeStart(_ layout: EventLayout, to target: UnsafeMutableRawBufferPointer) -> Int {
        unsafe target[0] = ASCII.openBracket
        unsafe target[1] = ASCII.zero
        unsafe target[2] = ASCII.comma
        unsafe target[3] = ASCII.quote
        unsafe layout.pubkey.writeHex(to: target, at: 4)
        unsafe target[68] = ASCII.quote
        unsafe target[69] = ASCII.comma
        var at = unsafe write(layout.createdAt.magnitude, to: target, at: 70)
        unsafe target[at] = ASCII.comma
        at = unsafe write(UInt64(layout.kind.rawValue), to: target, at: at + 1)
        unsafe target[at] = ASCII.comma
        return at + 1
    }

    /// Room for the start with a number of 20 digits and one of 5.
    private static let startCapacity = 104

    /// Writes a number in decimal digits and returns the offset behind it.
    private static func write(_ value: UInt64, to target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var digits = 1
        var power: UInt64 = 10
        while digits < 20, value >= power {
            digits += 1
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        var rest = value
        for index in (offset..<(offset + digits)).reversed() {
            unsafe target[index] = ASCII.zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return offset + digits
    }

    /// The serialisation of NIP-01 that is hashed into the id.
    func canonicalBytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(128 + layout.tags.count + layout.contentRange.count)
        Self.appendStart(layout, to: &output)
        appendTags(to: &output)
        output.append(ASCII.comma)
        appendContent(to: &output)
        output.append(ASCII.closeBracket)
        return output
    }

    /// The id: the SHA-256 of ``canonicalBytes()``. Where the source is written as the serialisation is, it is hashed
    /// in place.
    func computeID() -> EventID {
        guard layout.tagsAreCanonical, layout.contentIsCanonical else {
            return EventID(SHA256.hash(canonicalBytes()))
        }
        // With the quotes that stand around it.
        let content = (layout.contentRange.lowerBound - 1)..<(layout.contentRange.upperBound + 1)
        return buffer.withRawSpan { bytes in
            unsafe withUnsafeTemporaryAllocation(byteCount: Self.smallSize, alignment: 8) { target in
                var count = unsafe Self.writeStart(layout, to: target)
                guard count + layout.tags.count + content.count + 2 <= target.count else {
                    return unsafe Self.hash(
                        UnsafeRawBufferPointer(rebasing: target[..<count]),
                        bytes,
                        layout.tags,
                        content
                    )
                }
                unsafe bytes.copy(layout.tags, to: target, at: count)
                count += layout.tags.count
                unsafe target[count] = ASCII.comma
                unsafe bytes.copy(content, to: target, at: count + 1)
                count += content.count + 1
                unsafe target[count] = ASCII.closeBracket
                return unsafe EventID(SHA256.hash(UnsafeRawBufferPointer(rebasing: target[...count])))
            }
        }
    }

    /// Serialisations up to this size are put together on the stack, which is less work than to hash them piece by piece.
    private static let smallSize = 1_024

    private static func hash(
        _ start: UnsafeRawBufferPointer,
        _ bytes: RawSpan,
        _ tags: Range<Int>,
        _ content: Range<Int>
    ) -> EventID {
        var hash = SHA256()
        unsafe hash.update(start)
        hash.update(bytes.extracting(tags))
        unsafe withUnsafeBytes(of: ASCII.comma) { unsafe hash.update($0) }
        hash.update(bytes.extracting(content))
        unsafe withUnsafeBytes(of: ASCII.closeBracket) { unsafe hash.update($0) }
        return EventID(hash.finalize())
    }

    /// Appends the event as compact JSON in the order NIP-01 shows, with id and signature where they are given.
    func appendJSON(id: EventID?, signature: Signature?, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + 384 + layout.tags.count + layout.contentRange.count)
        output.append(ASCII.openBrace)
        if let id {
            output.append(contentsOf: #""id":""#.utf8)
            id.bytes.appendHex(to: &output)
            output.append(contentsOf: #"","#.utf8)
        }
        output.append(contentsOf: #""pubkey":""#.utf8)
        layout.pubkey.appendHex(to: &output)
        output.append(contentsOf: #"","created_at":"#.utf8)
        output.append(decimal: layout.createdAt.magnitude)
        output.append(contentsOf: #","kind":"#.utf8)
        output.append(decimal: UInt64(layout.kind.rawValue))
        output.append(contentsOf: #","tags":"#.utf8)
        appendTags(to: &output)
        output.append(contentsOf: #","content":"#.utf8)
        appendContent(to: &output)
        if let signature {
            output.append(contentsOf: #","sig":""#.utf8)
            signature.r.appendHex(to: &output)
            signature.s.appendHex(to: &output)
            output.append(ASCII.quote)
        }
        output.append(ASCII.closeBrace)
    }

    private func appendTags(to output: inout [UInt8]) {
        guard !layout.tagsAreCanonical else {
            buffer.withRawSpan { output.append(contentsOf: $0, layout.tags) }
            return
        }
        output.append(ASCII.openBracket)
        for (index, tag) in tags.enumerated() {
            if index > 0 { output.append(ASCII.comma) }
            tag.appendJSON(to: &output)
        }
        output.append(ASCII.closeBracket)
    }

    private func appendContent(to output: inout [UInt8]) {
        let range = layout.contentRange
        guard !layout.contentIsCanonical else {
            buffer.withRawSpan { output.append(contentsOf: $0, (range.lowerBound - 1)..<(range.upperBound + 1)) }
            return
        }
        let content = buffer.withRawSpan { layout.content.decodedBytes($0) }
        unsafe content.withUnsafeBufferPointer { unsafe CanonicalEscape.append($0, to: &output) }
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits.
    mutating func append(decimal value: UInt64) {
        let start = count
        var rest = value
        repeat {
            append(ASCII.zero &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}

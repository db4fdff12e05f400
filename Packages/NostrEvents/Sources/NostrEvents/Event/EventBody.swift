import NostrCrypto

/// What every form of an event has in common: one owned buffer of JSON and where in it things are.
///
/// The buffer is the text the event was read from, or the serialisation of NIP-01 if it was made here; either way the
/// tags and the content stay in it and become strings only when somebody asks.
struct EventBody: Sendable {
    let buffer: [UInt8]
    let layout: EventLayout

    var createdAt: Int64 { layout.createdAt }
    var kind: Kind { layout.kind }
    var pubkey: Bytes32 { layout.pubkey }

    var content: String {
        buffer.withRawSpan { layout.content.decoded($0) }
    }

    /// The same with a buffer that holds nothing but `range`, in which the event is.
    func compacted(to range: Range<Int>) -> EventBody {
        var layout = layout
        layout.tags = layout.tags.moved(by: -range.lowerBound)
        layout.contentRange = layout.contentRange.moved(by: -range.lowerBound)
        return EventBody(buffer: Array(buffer[range]), layout: layout)
    }

    var tags: Tags {
        Tags(buffer: buffer, range: layout.tags, count: layout.tagCount)
    }
}

/// Where in a buffer the parts of an event are, and the parts of fixed size by value.
struct EventLayout: Sendable {
    var pubkey = Bytes32.zero
    var createdAt: Int64 = 0
    var kind = Kind(rawValue: 0)
    /// From bracket to bracket.
    var tags = 0..<0
    var tagCount = 0
    /// The tags are written as in the serialisation that is hashed.
    var tagsAreCanonical = true
    var contentHasEscapes = false
    var contentIsCanonical = true
    /// Between the quotes.
    var contentRange = 0..<0

    var content: JSONString {
        get {
            JSONString(range: contentRange, hasEscapes: contentHasEscapes, isCanonical: contentIsCanonical)
        }
        set {
            contentRange = newValue.range
            contentHasEscapes = newValue.hasEscapes
            contentIsCanonical = newValue.isCanonical
        }
    }
}

extension Range<Int> {
    fileprivate func moved(by distance: Int) -> Range<Int> {
        (lowerBound + distance)..<(upperBound + distance)
    }
}

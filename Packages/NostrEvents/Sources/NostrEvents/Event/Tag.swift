/// A tag of an event: one or more strings (NIP-01, "Tags"). Tags are equal when they are so byte for byte.
public struct Tag: Sendable {
    /// All strings, the name first; never empty.
    public let elements: [String]

    /// A tag of its name and what follows.
    public init(_ name: String, _ rest: String...) {
        elements = [name] + rest
    }

    /// A tag of all its elements; nil if there are none.
    public init?(elements: [String]) {
        guard !elements.isEmpty else { return nil }
        self.elements = elements
    }

    /// The first element.
    public var name: String { elements[0] }

    /// The second element, if there is one. It alone is indexed by relays.
    public var value: String? { self[1] }

    /// The name as a letter, if it is one: such tags can be asked for in filters.
    public var letter: TagLetter? { TagLetter(name) }

    /// An element by its place, the name being 0; nil beyond the last.
    public subscript(index: Int) -> String? {
        elements.indices.contains(index) ? elements[index] : nil
    }
}

extension Tag: Hashable {
    public static func == (left: Tag, right: Tag) -> Bool {
        left.elements.count == right.elements.count
            && zip(left.elements, right.elements).allSatisfy { $0.isExactly($1) }
    }

    public func hash(into hasher: inout Hasher) {
        for element in elements { element.hashExactly(into: &hasher) }
    }
}

extension Tag: CustomStringConvertible {
    /// The tag as JSON.
    public var description: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    func appendJSON(to output: inout [UInt8]) {
        output.append(ASCII.openBracket)
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(ASCII.comma) }
            CanonicalEscape.append(element, to: &output)
        }
        output.append(ASCII.closeBracket)
    }
}

/// The name of a tag that relays index and filters can ask for: one letter, a to z or A to Z (NIP-01).
public struct TagLetter: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The letter in ASCII.
    public let ascii: UInt8

    /// The letter; nil if it is none of a to z and A to Z.
    public init?(ascii: UInt8) {
        switch ascii {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): self.ascii = ascii
        default: return nil
        }
    }

    /// The letter of a one-letter name; nil for every other name.
    public init?(_ name: String) {
        guard name.utf8.count == 1, let ascii = name.utf8.first else { return nil }
        self.init(ascii: ascii)
    }

    private init(known letter: Unicode.Scalar) {
        ascii = UInt8(ascii: letter)
    }

    /// Addresses of addressable and replaceable events.
    public static let a = TagLetter(known: "a")
    /// The identifier of an addressable event.
    public static let d = TagLetter(known: "d")
    /// Ids of events.
    public static let e = TagLetter(known: "e")
    /// Public keys.
    public static let p = TagLetter(known: "p")
    /// Quoted events.
    public static let q = TagLetter(known: "q")
    /// URLs.
    public static let r = TagLetter(known: "r")
    /// Hashtags.
    public static let t = TagLetter(known: "t")

    public static func < (left: TagLetter, right: TagLetter) -> Bool {
        left.ascii < right.ascii
    }
}

extension TagLetter: CustomStringConvertible {
    public var description: String { String(Unicode.Scalar(ascii)) }
}

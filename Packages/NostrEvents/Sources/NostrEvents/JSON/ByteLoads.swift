/// Reads from raw memory, each checked against the span's bounds by the standard library. Every byte the parsers of
/// this package look at goes through these, so none of them can read outside of its input.
extension RawSpan {
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Eight bytes, the first one in the lowest bits.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The bytes of a range as text. They are known to be valid UTF-8 by the time anybody asks.
    func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Copies a range; both are checked against their bounds.
    @inline(__always)
    func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer, at offset: Int) {
        unsafe extracting(range).withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<(offset + source.count)])
                .copyMemory(from: source)
        }
    }

    func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where unsafe byte(range.lowerBound + index) != text.utf8Start[index] {
            return false
        }
        return true
    }
}

extension [UInt8] {
    /// Calls `body` with these bytes as a raw span.
    @inline(__always)
    func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe span.bytes)
    }

    mutating func append(contentsOf source: RawSpan, _ range: Range<Int>) {
        unsafe source.extracting(range).withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    init(_ source: RawSpan) {
        self = unsafe source.withUnsafeBytes { unsafe Array($0) }
    }
}

/// ASCII bytes by name.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let minus = UInt8(ascii: "-")
}

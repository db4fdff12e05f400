/// Addresses are taken apart at ASCII characters, byte by byte: a combining mark behind one makes a single `Character` of both, which
/// is none of these, while browsers see the delimiter. Reading another host than they do would let one address pass for another.
extension Substring {
    /// Where the first of some ASCII characters stands.
    func firstIndex(ofASCII delimiters: StaticString) -> Index? {
        utf8.firstIndex { byte in delimiters.withUTF8Buffer { $0.contains(byte) } }
    }

    /// What stands before the first occurrence of an ASCII character, and what after; nil where it does not occur.
    func cut(at delimiter: Unicode.Scalar) -> (Substring, Substring?) {
        guard let place = utf8.firstIndex(of: UInt8(ascii: delimiter)) else { return (self, nil) }
        return (self[..<place], self[utf8.index(after: place)...])
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts between occurrences of an ASCII character, without empty ones.
    func split(atASCII delimiter: Unicode.Scalar) -> [Substring] {
        self[...].utf8.split(separator: UInt8(ascii: delimiter)).map { Substring($0) }
    }
}

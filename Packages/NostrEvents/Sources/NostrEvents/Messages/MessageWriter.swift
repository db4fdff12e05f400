import NostrCrypto

/// Writes the elements of a message after its type.
struct MessageWriter {
    fileprivate var output: [UInt8]

    mutating func text(_ text: String) {
        output.append(ASCII.comma)
        CanonicalEscape.append(text, to: &output)
    }

    mutating func hex(_ bytes: [UInt8]) {
        text(Hex.encode(bytes))
    }

    mutating func raw(_ write: (inout [UInt8]) -> Void) {
        output.append(ASCII.comma)
        write(&output)
    }
}

extension [UInt8] {
    /// Appends a message of a type and of what `write` adds.
    mutating func appendMessage(_ type: StaticString, _ write: (inout MessageWriter) -> Void) {
        var writer = MessageWriter(output: [])
        // The buffer moves into the writer and back, so that nothing is copied.
        swap(&self, &writer.output)
        writer.output.append(contentsOf: "[\"\(type)\"".utf8)
        write(&writer)
        writer.output.append(ASCII.closeBracket)
        swap(&self, &writer.output)
    }
}

/// Reads the head of an HTTP/1.1 message: bytes in, start line and fields out; no socket (RFC 9112 section 2).
///
/// Strict where laxness lets two readers see different messages: lines end with CR LF and nothing else, a line is never
/// folded, no space stands between a name and its colon. Size and number of fields are bounded while the bytes come in.
public struct HTTPHeadParser: Sendable {
    /// How large a head may be.
    public struct Limits: Sendable {
        /// Bytes in all, with every line end.
        public var bytes = 16 * 1024
        /// How many fields.
        public var fields = 100

        /// 16 KiB and a hundred fields.
        public init() {}
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    private var lineStart = 0
    private var startLine: ArraySlice<UInt8>?
    private var fields = HTTPFields()

    /// A parser for one head.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether some bytes of a head have come.
    public var hasBegun: Bool { !buffer.isEmpty }

    /// Takes bytes up to the end of the head.
    ///
    /// - Parameters:
    ///   - bytes: what was received.
    ///   - index: where to begin; afterwards the first byte that does not belong to the head.
    /// - Returns: the head when it is complete; nil when more bytes are needed.
    /// - Throws: ``SocketsError/http(_:)``. The parser is of no use afterwards.
    public mutating func feed(_ bytes: [UInt8], from index: inout Int) throws(SocketsError) -> HTTPHead? {
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard buffer.count < limits.bytes else { throw .http(.headTooLarge) }
            let afterReturn = buffer.count > lineStart && buffer[buffer.count - 1] == 0x0d
            buffer.append(byte)
            guard byte == 0x0a else {
                // A lone CR.
                if afterReturn { throw malformed }
                continue
            }
            // A lone LF.
            guard afterReturn else { throw malformed }
            let line = buffer[lineStart..<buffer.count - 2]
            lineStart = buffer.count
            if let head = try take(line) { return head }
        }
        return nil
    }

    private var malformed: SocketsError {
        .http(startLine == nil ? .malformedStartLine : .malformedField)
    }

    private mutating func take(_ line: ArraySlice<UInt8>) throws(SocketsError) -> HTTPHead? {
        guard let startLine else {
            guard HTTPSyntax.isFieldValue(line), !line.isEmpty else { throw .http(.malformedStartLine) }
            self.startLine = line
            return nil
        }
        if line.isEmpty { return HTTPHead(startLine: Array(startLine), fields: fields) }
        guard fields.count < limits.fields else { throw .http(.headTooLarge) }
        // A folded line begins with white space, which is no token.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPSyntax.isToken(line[..<colon]) else {
            throw .http(.malformedField)
        }
        let value = HTTPSyntax.trimmed(line[(colon + 1)...])
        guard HTTPSyntax.isFieldValue(value) else { throw .http(.malformedField) }
        fields.appendChecked(HTTPSyntax.text(line[..<colon]), HTTPSyntax.text(value))
        return nil
    }
}

/// A head whose start line has not been looked at.
public struct HTTPHead: Sendable, Equatable {
    /// The first line without its end.
    public let startLine: [UInt8]
    /// The fields in order.
    public let fields: HTTPFields
}

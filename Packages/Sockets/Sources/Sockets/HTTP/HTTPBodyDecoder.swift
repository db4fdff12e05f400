/// Takes a body out of the bytes of a connection, up to a limit: no socket (RFC 9112 sections 6 and 7).
struct HTTPBodyDecoder {
    private enum State: Equatable {
        case counted(left: Int)
        case untilClose
        case chunkSize(digits: Int, size: Int)
        case chunkExtension(size: Int, length: Int)
        case chunkSizeEnd(size: Int)
        case chunkData(left: Int)
        case chunkDataReturn
        case chunkDataEnd
        case trailer(HTTPTrailer)
        case done
    }

    private var state: State
    private let limit: Int
    private var total = 0

    /// - Parameter limit: how many bytes of body are taken at most.
    init(_ framing: HTTPFraming, limit: Int) {
        self.limit = limit
        state =
            switch framing {
            case .none, .length(0): .done
            case .length(let length): .counted(left: length)
            case .chunked: .chunkSize(digits: 0, size: 0)
            case .untilClose: .untilClose
            }
    }

    var isComplete: Bool { state == .done }
    /// Whether the end of the connection is the end of the body.
    var endsWithConnection: Bool { state == .untilClose }

    /// Takes bytes of the body.
    ///
    /// - Parameters:
    ///   - index: where to begin; afterwards the first byte that does not belong to the body.
    ///   - body: what was taken is appended.
    mutating func feed(_ bytes: [UInt8], from index: inout Int, into body: inout [UInt8]) throws(SocketsError) {
        while index < bytes.count, state != .done {
            switch state {
            case .counted(let left):
                let count = try take(bytes, &index, left, &body)
                state = count == left ? .done : .counted(left: left - count)
            case .untilClose:
                _ = try take(bytes, &index, .max, &body)
            case .chunkData(let left):
                let count = try take(bytes, &index, left, &body)
                state = count == left ? .chunkDataReturn : .chunkData(left: left - count)
            default:
                try step(bytes[index])
                index += 1
            }
        }
    }

    private mutating func take(
        _ bytes: [UInt8],
        _ index: inout Int,
        _ wanted: Int,
        _ body: inout [UInt8]
    ) throws(SocketsError) -> Int {
        let count = min(wanted, bytes.count - index)
        let room = limit - total
        body += bytes[index..<index + min(count, room)]
        index += count
        total += min(count, room)
        guard count <= room else { throw .http(.bodyTooLarge) }
        return count
    }

    /// One byte of what stands around the chunks.
    private mutating func step(_ byte: UInt8) throws(SocketsError) {
        switch state {
        case .chunkSize(let digits, let size):
            if let digit = Self.hexDigit(byte) {
                // Seven digits are 256 MiB.
                guard digits < 7 else { throw .http(.malformedChunk) }
                state = .chunkSize(digits: digits + 1, size: size * 16 + digit)
            } else if digits > 0, byte == 0x0d {
                state = .chunkSizeEnd(size: size)
            } else if digits > 0, byte == UInt8(ascii: ";") {
                state = .chunkExtension(size: size, length: 0)
            } else {
                throw .http(.malformedChunk)
            }
        case .chunkExtension(let size, let length):
            if byte == 0x0d {
                state = .chunkSizeEnd(size: size)
            } else {
                guard length < 256, byte == 0x09 || (byte >= 0x20 && byte != 0x7f) else { throw .http(.malformedChunk) }
                state = .chunkExtension(size: size, length: length + 1)
            }
        case .chunkSizeEnd(let size):
            guard byte == 0x0a else { throw .http(.malformedChunk) }
            state = size == 0 ? .trailer(HTTPTrailer()) : .chunkData(left: size)
        case .chunkDataReturn:
            guard byte == 0x0d else { throw .http(.malformedChunk) }
            state = .chunkDataEnd
        case .chunkDataEnd:
            guard byte == 0x0a else { throw .http(.malformedChunk) }
            state = .chunkSize(digits: 0, size: 0)
        case .trailer(var trailer):
            state = try trailer.step(byte) ? .done : .trailer(trailer)
        case .counted, .untilClose, .chunkData, .done:
            break
        }
    }

    private static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x41 + 10
        default: nil
        }
    }
}

/// The fields behind the last chunk: held to the rules of a head, and dropped.
private struct HTTPTrailer: Equatable {
    private var length = 0
    private var lineLength = 0
    private var sawColon = false
    private var afterReturn = false

    /// True at the end.
    mutating func step(_ byte: UInt8) throws(SocketsError) -> Bool {
        length += 1
        guard length <= 8192 else { throw .http(.headTooLarge) }
        if afterReturn {
            guard byte == 0x0a, lineLength == 0 || sawColon else { throw .http(.malformedChunk) }
            if lineLength == 0 { return true }
            self = HTTPTrailer(length: length)
            return false
        }
        if byte == 0x0d {
            afterReturn = true
            return false
        }
        if byte == UInt8(ascii: ":"), lineLength > 0 { sawColon = true }
        guard sawColon ? HTTPSyntax.isFieldValue([byte]) : HTTPSyntax.isTokenCharacter(byte) else {
            throw .http(.malformedChunk)
        }
        lineLength += 1
        return false
    }

    init(length: Int = 0) {
        self.length = length
    }
}

/// What a frame is (RFC 6455 section 5.2).
enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// The head of a frame: 2 to 14 bytes on the wire.
struct FrameHeader: Equatable {
    var isFinal: Bool
    /// RSV1 (RFC 7692 section 6): the message that begins with this frame is compressed.
    var isCompressed: Bool
    var opcode: Opcode
    /// Payload bytes.
    var length: Int
    var mask: Mask?

    /// What the receiver allows at this point.
    struct Expectation {
        var masked: Bool
        var compression: Bool
        var insideMessage: Bool
    }

    /// Reads a head at the start of `bytes`. Nil when there are not enough bytes yet; what can be refused after the
    /// first two bytes is refused then.
    static func parse(
        _ bytes: UnsafeRawBufferPointer,
        expecting: Expectation
    ) throws(ProtocolViolation) -> (header: FrameHeader, size: Int)? {
        guard bytes.count >= 2 else { return nil }
        let first = unsafe bytes[0]
        let second = unsafe bytes[1]
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .unknownOpcode(first & 0x0F) }
        let isFinal = first & 0x80 != 0
        let isCompressed = first & 0x40 != 0
        guard first & 0x30 == 0 else { throw .reservedBits }
        if isCompressed, !expecting.compression || opcode.isControl || opcode == .continuation { throw .reservedBits }
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw .fragmentedControlFrame }
            guard short <= 125 else { throw .oversizedControlFrame }
        } else {
            guard opcode != .continuation || expecting.insideMessage else { throw .unexpectedContinuation }
            guard opcode == .continuation || !expecting.insideMessage else { throw .unfinishedMessage }
        }
        let isMasked = second & 0x80 != 0
        guard isMasked == expecting.masked else { throw isMasked ? .maskForbidden : .maskMissing }

        let lengthSize = short == 127 ? 8 : short == 126 ? 2 : 0
        let size = 2 + lengthSize + (isMasked ? 4 : 0)
        // The length can be refused before the mask has come.
        guard bytes.count >= 2 + lengthSize else { return nil }
        var length = UInt64(short)
        if lengthSize > 0 {
            length = 0
            for index in 2..<2 + lengthSize { length = length << 8 | UInt64(unsafe bytes[index]) }
            guard length >= (lengthSize == 2 ? 126 : 65_536), length <= UInt64(Int64.max) else { throw .invalidLength }
        }
        guard let count = Int(exactly: length) else { throw .frameTooLarge(limit: Int.max) }
        guard bytes.count >= size else { return nil }
        var header = FrameHeader(isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, length: count)
        if isMasked {
            header.mask = unsafe Mask(bytes[size - 4], bytes[size - 3], bytes[size - 2], bytes[size - 1])
        }
        return (header, size)
    }

    /// Appends the head in its shortest form.
    func append(to output: inout [UInt8]) {
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125:
            output.append(masked | UInt8(truncatingIfNeeded: length))
        case ...65_535:
            output.append(masked | 126)
            output.append(UInt8(truncatingIfNeeded: length >> 8))
            output.append(UInt8(truncatingIfNeeded: length))
        default:
            output.append(masked | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: length >> shift))
            }
        }
        if let octets = mask?.octets {
            output.append(octets.0)
            output.append(octets.1)
            output.append(octets.2)
            output.append(octets.3)
        }
    }
}

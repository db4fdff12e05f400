import WebSocket

/// Frames written by hand, independently of the encoder under test.
enum Wire {
    static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    static func frame(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        fin: Bool = true,
        reserved: UInt8 = 0,
        masked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let bit: UInt8 = masked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(bit | UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        } else {
            bytes.append(bit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 255)) }
        }
        guard masked else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        frame(8, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
    }
}

/// What a decoder made of a stream of bytes.
struct Outcome: Equatable {
    var events: [MessageDecoder.Event] = []
    var violation: ProtocolViolation?
}

/// Feeds a decoder with the pieces one after another.
func decode(
    _ pieces: [[UInt8]],
    role: Role = .server,
    limits: MessageLimits = MessageLimits(),
    compression: CompressionParameters? = nil,
    pool: CompressionPool = CompressionPool()
) -> Outcome {
    var decoder = MessageDecoder(role: role, limits: limits, compression: compression, pool: pool)
    var outcome = Outcome()
    for piece in pieces {
        var offset = 0
        do {
            while let event = try decoder.next(in: piece.span.bytes, at: &offset) { outcome.events.append(event) }
        } catch {
            outcome.violation = error
            return outcome
        }
    }
    return outcome
}

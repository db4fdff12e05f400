import WebSocket

extension FuzzTarget {
    static let webSocket: [FuzzTarget] = [
        // The first byte chooses the end and what it allows; the others come whole, and then again in pieces.
        FuzzTarget(name: "websocket-decoder") { bytes in
            guard let choice = bytes.first else { return }
            let input = Array(bytes.dropFirst())
            let whole = decode(input, choice, piece: .max)
            for piece in [1, 3, 17] {
                precondition(decode(input, choice, piece: piece) == whole, "pieces of \(piece) give something else")
            }
            for case .message(let message) in whole.events {
                precondition(message.bytes.count <= 1 << 16, "a limit does not hold")
                precondition(message.kind == .binary || String(validating: message.bytes, as: UTF8.self) != nil)
            }
        },
        // The bytes as the payload of compressed frames, which a fuzzer would not find the lengths of.
        FuzzTarget(name: "websocket-inflate") { bytes in
            guard let choice = bytes.first else { return }
            var frames: [UInt8] = []
            let half = bytes.count / 2
            for part in [bytes[1..<max(1, half)], bytes[max(1, half)...]] where part.count < 65_536 {
                frames += [0xC2, 126, UInt8(part.count >> 8), UInt8(part.count & 255)]
                if part.count < 126 { frames.replaceSubrange((frames.count - 3)..., with: [UInt8(part.count)]) }
                frames += part
            }
            let whole = decode(frames, choice & ~1 | 2, piece: .max)
            precondition(decode(frames, choice & ~1 | 2, piece: 1) == whole, "pieces give something else")
        },
    ]

    private struct Outcome: Equatable {
        var events: [MessageDecoder.Event] = []
        var violation: ProtocolViolation?
    }

    private static func decode(_ input: [UInt8], _ choice: UInt8, piece: Int) -> Outcome {
        let limits = MessageLimits(frameBytes: 1 << 15, messageBytes: 1 << 15, inflatedBytes: 1 << 16, fragments: 8)
        let parameters = CompressionParameters(
            serverNoContextTakeover: choice & 4 != 0,
            clientNoContextTakeover: choice & 4 != 0,
            serverMaxWindowBits: 8 + Int(choice >> 5),
            clientMaxWindowBits: 8 + Int(choice >> 5)
        )
        var decoder = MessageDecoder(
            role: choice & 1 == 0 ? .client : .server,
            limits: limits,
            compression: choice & 2 == 0 ? nil : parameters
        )
        var outcome = Outcome()
        var start = 0
        while start < input.count {
            let part = Array(input[start..<min(input.count, start + min(piece, input.count))])
            start += part.count
            var offset = 0
            do throws(ProtocolViolation) {
                while let event = try decoder.next(in: part.span.bytes, at: &offset) { outcome.events.append(event) }
            } catch {
                outcome.violation = error
                return outcome
            }
        }
        return outcome
    }
}

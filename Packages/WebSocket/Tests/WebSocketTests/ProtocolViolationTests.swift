import Testing
import WebSocket

/// Bytes that break a rule, the rule, the close code, and bytes that differ only in keeping it.
struct ViolationRow: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var violation: ProtocolViolation
    var code: UInt16
    var control: [UInt8]
    var role = Role.server
    var limits = MessageLimits()
    var compression: CompressionParameters?

    var testDescription: String { name }
}

private let small = MessageLimits(frameBytes: 100, messageBytes: 150, inflatedBytes: 200, fragments: 3)
private let hundred = [UInt8](repeating: 1, count: 100)
private let sixty = [UInt8](repeating: 2, count: 60)

private let rows: [ViolationRow] = [
    .init(
        name: "RSV1 without an extension",
        bytes: Wire.frame(1, reserved: 4),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(1)
    ),
    .init(
        name: "RSV2",
        bytes: Wire.frame(2, reserved: 2),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(2)
    ),
    .init(
        name: "RSV3",
        bytes: Wire.frame(9, reserved: 1),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(9)
    ),
    .init(
        name: "RSV2 with compression",
        bytes: Wire.frame(1, [0], reserved: 6),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(1, [0], reserved: 4),
        compression: CompressionParameters()
    ),
    .init(
        name: "RSV1 on a control frame",
        bytes: Wire.frame(9, reserved: 4),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(9),
        compression: CompressionParameters()
    ),
    .init(
        name: "RSV1 on a continuation",
        bytes: Wire.frame(2, [1], fin: false) + Wire.frame(0, [2], reserved: 4),
        violation: .reservedBits,
        code: 1002,
        control: Wire.frame(2, [1], fin: false) + Wire.frame(0, [2]),
        compression: CompressionParameters()
    ),
    .init(
        name: "opcode 3",
        bytes: Wire.frame(3),
        violation: .unknownOpcode(3),
        code: 1002,
        control: Wire.frame(2)
    ),
    .init(
        name: "opcode 7",
        bytes: Wire.frame(7),
        violation: .unknownOpcode(7),
        code: 1002,
        control: Wire.frame(2)
    ),
    .init(
        name: "opcode 11",
        bytes: Wire.frame(11),
        violation: .unknownOpcode(11),
        code: 1002,
        control: Wire.frame(10)
    ),
    .init(
        name: "opcode 15",
        bytes: Wire.frame(15),
        violation: .unknownOpcode(15),
        code: 1002,
        control: Wire.frame(10)
    ),
    .init(
        name: "ping without FIN",
        bytes: Wire.frame(9, fin: false),
        violation: .fragmentedControlFrame,
        code: 1002,
        control: Wire.frame(9)
    ),
    .init(
        name: "close without FIN",
        bytes: Wire.frame(8, fin: false),
        violation: .fragmentedControlFrame,
        code: 1002,
        control: Wire.frame(8)
    ),
    .init(
        name: "ping of 126 bytes",
        bytes: Wire.frame(9, [UInt8](repeating: 0, count: 126)),
        violation: .oversizedControlFrame,
        code: 1002,
        control: Wire.frame(9, [UInt8](repeating: 0, count: 125))
    ),
    .init(
        name: "close of 126 bytes",
        bytes: Wire.close(1000, String(repeating: "a", count: 124)),
        violation: .oversizedControlFrame,
        code: 1002,
        control: Wire.close(1000, String(repeating: "a", count: 123))
    ),
    .init(
        name: "16 bit length for 125",
        bytes: [0x82, 126, 0, 125] + [UInt8](repeating: 0, count: 125),
        violation: .invalidLength,
        code: 1002,
        control: [0x82, 126, 0, 126] + [UInt8](repeating: 0, count: 126),
        role: .client
    ),
    .init(
        name: "64 bit length for 65535",
        bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
        violation: .invalidLength,
        code: 1002,
        control: [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0],
        role: .client
    ),
    .init(
        name: "length with the top bit",
        bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
        violation: .invalidLength,
        code: 1002,
        control: [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0],
        role: .client
    ),
    .init(
        name: "client frame without a mask",
        bytes: Wire.frame(1, masked: false),
        violation: .maskMissing,
        code: 1002,
        control: Wire.frame(1)
    ),
    .init(
        name: "server frame with a mask",
        bytes: Wire.frame(1),
        violation: .maskForbidden,
        code: 1002,
        control: Wire.frame(1, masked: false),
        role: .client
    ),
    .init(
        name: "continuation of nothing",
        bytes: Wire.frame(0, [1]),
        violation: .unexpectedContinuation,
        code: 1002,
        control: Wire.frame(2, fin: false) + Wire.frame(0, [1])
    ),
    .init(
        name: "continuation after the end",
        bytes: Wire.frame(2) + Wire.frame(0, [1]),
        violation: .unexpectedContinuation,
        code: 1002,
        control: Wire.frame(2) + Wire.frame(2, [1])
    ),
    .init(
        name: "text inside a message",
        bytes: Wire.frame(1, fin: false) + Wire.frame(1),
        violation: .unfinishedMessage,
        code: 1002,
        control: Wire.frame(1, fin: false) + Wire.frame(0)
    ),
    .init(
        name: "close of one byte",
        bytes: Wire.frame(8, [3]),
        violation: .invalidCloseFrame,
        code: 1002,
        control: Wire.frame(8, [3, 232])
    ),
    .init(
        name: "close reason that is not UTF-8",
        bytes: Wire.frame(8, [3, 232, 0xCE]),
        violation: .invalidUTF8,
        code: 1007,
        control: Wire.frame(8, [3, 232, 0xCE, 0xBA])
    ),
    .init(
        name: "text that is not UTF-8",
        bytes: Wire.frame(1, [0x41, 0xFF]),
        violation: .invalidUTF8,
        code: 1007,
        control: Wire.frame(2, [0x41, 0xFF])
    ),
    .init(
        name: "text that ends inside a character",
        bytes: Wire.frame(1, [0xE2, 0x82]),
        violation: .invalidUTF8,
        code: 1007,
        control: Wire.frame(1, [0xE2, 0x82, 0xAC])
    ),
    .init(
        name: "character split by fragments, then broken",
        bytes: Wire.frame(1, [0xE2, 0x82], fin: false) + Wire.frame(0, [0x41]),
        violation: .invalidUTF8,
        code: 1007,
        control: Wire.frame(1, [0xE2, 0x82], fin: false) + Wire.frame(0, [0xAC])
    ),
    .init(
        name: "frame above the limit",
        bytes: Wire.frame(2, hundred + [1]),
        violation: .frameTooLarge(limit: 100),
        code: 1009,
        control: Wire.frame(2, hundred),
        limits: small
    ),
    .init(
        name: "message above the limit",
        bytes: Wire.frame(2, hundred, fin: false) + Wire.frame(0, sixty),
        violation: .messageTooLarge(limit: 150),
        code: 1009,
        control: Wire.frame(2, hundred, fin: false) + Wire.frame(0, Array(sixty[..<50])),
        limits: small
    ),
    .init(
        name: "more fragments than the limit",
        bytes: Wire.frame(2, fin: false) + Wire.frame(0, fin: false) + Wire.frame(0, fin: false) + Wire.frame(0),
        violation: .tooManyFragments(limit: 3),
        code: 1008,
        control: Wire.frame(2, fin: false) + Wire.frame(0, fin: false) + Wire.frame(0),
        limits: small
    ),
    .init(
        name: "compressed garbage",
        bytes: Wire.frame(1, [0xFF, 0xFF, 0xFF], reserved: 4),
        violation: .corruptCompression,
        code: 1007,
        control: Wire.frame(1, [0xF2, 0x48, 0x05, 0x00], reserved: 4),
        compression: CompressionParameters()
    ),
    .init(
        name: "compressed message cut inside a block",
        bytes: Wire.frame(2, [0xF2, 0x48], reserved: 4),
        violation: .corruptCompression,
        code: 1007,
        control: Wire.frame(2, [0xF2, 0x48, 0x05, 0x00], reserved: 4),
        compression: CompressionParameters()
    ),
]

@Test(arguments: rows)
func aViolationIsFoundWithItsCloseCodeAndItsControlPasses(row: ViolationRow) {
    func outcome(_ pieces: [[UInt8]]) -> Outcome {
        decode(pieces, role: row.role, limits: row.limits, compression: row.compression)
    }
    let whole = outcome([row.bytes])
    #expect(whole.violation == row.violation)
    #expect(whole.violation?.closeCode.rawValue == row.code)
    #expect(outcome(row.bytes.map { [$0] }) == whole)
    #expect(outcome([row.control]).violation == nil)
    #expect(row.violation.description.utf8.count <= 123)
}

@Test func closeCodesOnTheWireAreTheRegisteredOnes() {
    var accepted: [UInt16] = []
    for code in UInt16(0)...5100 {
        let outcome = decode([Wire.close(code, "why")])
        if outcome.events == [.close(CloseCode(rawValue: code), reason: "why")] {
            accepted.append(code)
        } else if outcome.violation != .invalidCloseCode(code) || outcome.violation?.closeCode != .protocolError {
            Issue.record("\(code): \(outcome)")
        }
    }
    #expect(accepted == Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
}

@Test func aRefusedLengthIsSeenBeforeItsPayloadComes() {
    let announced: [UInt8] = [0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]
    #expect(decode([announced], role: .client).violation == .frameTooLarge(limit: 16 << 20))
    #expect(decode([[0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]], role: .client) == Outcome())
}

@Test func badTextIsRefusedBeforeItsFrameIsComplete() {
    let frame = Wire.frame(1, Array("caf".utf8) + [0xC3, 0x28] + [UInt8](repeating: 0x41, count: 1000))
    #expect(decode([Array(frame[..<12])]).violation == nil)
    #expect(decode([Array(frame[..<13])]).violation == .invalidUTF8)
}

@Test func nothingIsReadAfterAViolationOrAClose() {
    let after = Wire.frame(1, Array("late".utf8))
    #expect(decode([Wire.close(1000) + after, after]).events == [.close(.normal, reason: "")])
    #expect(decode([Wire.frame(8) + after]).events == [.close(nil, reason: "")])
    var decoder = MessageDecoder(role: .server)
    let bytes = Wire.frame(3) + after
    var offset = 0
    #expect(throws: ProtocolViolation.unknownOpcode(3)) { try decoder.next(in: bytes.span.bytes, at: &offset) }
    #expect(throws: Never.self) {
        offset = 0
        let event = try decoder.next(in: bytes.span.bytes, at: &offset)
        #expect(event == nil && offset == bytes.count && decoder.hasEnded)
    }
}

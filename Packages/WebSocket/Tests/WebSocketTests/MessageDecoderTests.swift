import TestSupport
import Testing
import WebSocket

private let stream: [UInt8] =
    Wire.frame(1, Array("h€llo".utf8)) + Wire.frame(9, [1, 2, 3]) + Wire.frame(2)
    + Wire.frame(1, Array("fr".utf8), fin: false) + Wire.frame(10) + Wire.frame(0, [0xE2, 0x82], fin: false)
    + Wire.frame(9, Array("mid".utf8)) + Wire.frame(0, [0xAC]) + Wire.frame(2, (0..<130).map { UInt8($0) })
    + Wire.close(4001, "bye")

private func expectation() -> Outcome {
    Outcome(events: [
        .message(.text("h€llo")), .ping([1, 2, 3]), .message(.binary([])), .pong([]), .ping(Array("mid".utf8)),
        .message(.text("fr€")), .message(.binary((0..<130).map { UInt8($0) })),
        .close(CloseCode(rawValue: 4001), reason: "bye"),
    ])
}

@Test func aStreamGivesTheSameEventsHoweverItIsSplit() {
    let expected = expectation()
    #expect(decode([stream]) == expected)
    #expect(decode(stream.map { [$0] }) == expected)
    var wrong: [String] = []
    for first in 0...stream.count {
        let two = [Array(stream[..<first]), Array(stream[first...])]
        if decode(two) != expected { wrong.append("\(first)") }
        for second in stride(from: first, through: stream.count, by: 3) {
            let three = [Array(stream[..<first]), Array(stream[first..<second]), Array(stream[second...])]
            if decode(three) != expected { wrong.append("\(first), \(second)") }
        }
    }
    #expect(wrong == [])
}

@Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
func aMessageOfAnyLengthPassesBothWays(length: Int) {
    let message = WebSocketMessage.binary((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for role in [Role.client, .server] {
        var encoder = MessageEncoder(role: role)
        var output: [UInt8] = []
        encoder.append(message, to: &output)
        let headBytes = (length < 126 ? 2 : length < 65_536 ? 4 : 10) + (role == .client ? 4 : 0)
        #expect(output.count == headBytes + length)
        #expect(decode([output], role: role == .client ? .server : .client).events == [.message(message)])
    }
}

@Test func theExamplesOfTheRFCAreReadAndWritten() {
    let hello: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
    let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(decode([hello], role: .client).events == [.message(.text("Hello"))])
    #expect(decode([masked]).events == [.message(.text("Hello"))])
    let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
    #expect(decode([fragments], role: .client).events == [.message(.text("Hello"))])

    var server = MessageEncoder(role: .server)
    var client = MessageEncoder(role: .client, maskKey: { 0x3D21_FA37 })
    var output: [UInt8] = []
    server.append(.text("Hello"), to: &output)
    #expect(output == hello)
    output = []
    client.append(.text("Hello"), to: &output)
    #expect(output == masked)
    output = []
    server.append(.text("Hello"), to: &output, fragmentBytes: 3)
    #expect(output == fragments)
    output = []
    server.appendPing(Array("Hello".utf8), to: &output)
    #expect(output == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
}

@Test func aCloseFrameIsWrittenWithinTheRules() {
    func written(_ code: CloseCode?, _ reason: String) -> [MessageDecoder.Event] {
        var encoder = MessageEncoder(role: .server)
        var output: [UInt8] = []
        encoder.appendClose(code, reason: reason, to: &output)
        return decode([output], role: .client).events
    }
    #expect(written(.goingAway, "off") == [.close(.goingAway, reason: "off")])
    #expect(written(nil, "off") == [.close(nil, reason: "")])
    #expect(written(CloseCode(rawValue: 1006), "off") == [.close(nil, reason: "")])
    let long = String(repeating: "€", count: 60)
    #expect(written(.normal, long) == [.close(.normal, reason: String(repeating: "€", count: 41))])
}

@Test func randomMessagesInRandomPiecesComeOutAsTheyWentIn() {
    var generator = SeededGenerator(seed: 2024)
    var wrong: [Int] = []
    for round in 0..<300 {
        let role: Role = Bool.random(using: &generator) ? .client : .server
        let agreed =
            Bool.random(using: &generator)
            ? CompressionParameters(
                serverNoContextTakeover: Bool.random(using: &generator),
                clientNoContextTakeover: Bool.random(using: &generator),
                serverMaxWindowBits: Int.random(in: 8...15, using: &generator),
                clientMaxWindowBits: Int.random(in: 8...15, using: &generator)
            ) : nil
        let settings = CompressionSettings(
            threshold: Int.random(in: 0...50, using: &generator),
            level: Int.random(in: 1...9, using: &generator),
            keepsContext: Bool.random(using: &generator)
        )
        var encoder = MessageEncoder(role: role, compression: agreed, settings: settings, pool: CompressionPool())
        var output: [UInt8] = []
        var expected: [MessageDecoder.Event] = []
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let length = Int.random(in: 0...1, using: &generator) * Int.random(in: 0...3000, using: &generator)
            if Bool.random(using: &generator) {
                let words = ["relay ", "événement ", "ﬁlter ", "🜁 ", "wrap "]
                let text = (0..<length / 6).map { _ in words.randomElement(using: &generator) ?? "" }.joined()
                expected.append(.message(.text(text)))
            } else {
                expected.append(.message(.binary((0..<length).map { _ in UInt8.random(in: 0...9, using: &generator) })))
            }
            if Bool.random(using: &generator) {
                encoder.appendPing([1], to: &output)
                expected.insert(.ping([1]), at: expected.count - 1)
            }
            guard case .message(let message) = expected.last else { continue }
            let fragment = Bool.random(using: &generator) ? Int.max : Int.random(in: 1...400, using: &generator)
            encoder.append(message, to: &output, fragmentBytes: fragment)
        }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < output.count {
            let end = min(output.count, start + Int.random(in: 1...700, using: &generator))
            pieces.append(Array(output[start..<end]))
            start = end
        }
        let outcome = decode(pieces, role: role == .client ? .server : .client, compression: agreed)
        if outcome != Outcome(events: expected) { wrong.append(round) }
    }
    #expect(wrong == [])
}

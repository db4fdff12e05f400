import CZlib
import TestSupport
import Testing
import WebSocket

private let sentence = Array("the quick brown relay jumps over the lazy relay; the quick brown relay sleeps".utf8)

/// Raw inflate by zlib alone, of payloads with the tail put back.
private func inflatedByZlib(_ payloads: [[UInt8]], bits: Int32) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, -bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = payloads.flatMap { payload -> [UInt8] in payload + [0, 0, 0xFF, 0xFF] }
    var output = [UInt8](repeating: 0, count: 1 << 20)
    let (inputCount, outputCount) = (input.count, output.count)
    let result = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(inputCount)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(outputCount)
            return inflate(&stream, Z_SYNC_FLUSH)
        }
    }
    guard result == Z_OK, stream.avail_in == 0 else { return nil }
    return Array(output[..<Int(stream.total_out)])
}

/// Raw deflate by zlib alone, flushed by `flush`.
private func deflatedByZlib(_ bytes: [UInt8], flush: Int32 = Z_SYNC_FLUSH) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
        return []
    }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count / 2 + 1024)
    let (inputCount, outputCount) = (input.count, output.count)
    input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(inputCount)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(outputCount)
            _ = deflate(&stream, flush)
        }
    }
    let written = Array(output[..<Int(stream.total_out)])
    return flush == Z_SYNC_FLUSH ? Array(written.dropLast(4)) : written
}

/// The payload of one unmasked frame under 64 KiB, and whether it is marked as compressed.
private func payload(_ frame: [UInt8]) -> (bytes: [UInt8], isCompressed: Bool) {
    (Array(frame[(frame[1] == 126 ? 4 : 2)...]), frame[0] & 0x40 != 0)
}

@Test(arguments: 8...15)
func zlibAloneInflatesWhatIsSentWithEachWindow(bits: Int) throws {
    let parameters = CompressionParameters(serverMaxWindowBits: bits)
    // 300 random-looking bytes repeated: a window that is too small must not be referred beyond.
    var generator = SeededGenerator(seed: 5)
    let block = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let messages = [sentence, block + block + sentence, [], sentence]
    for keepsContext in [false, true] {
        let settings = CompressionSettings(threshold: 0, level: 9, keepsContext: keepsContext)
        var encoder = MessageEncoder(role: .server, compression: parameters, settings: settings)
        var payloads: [[UInt8]] = []
        for message in messages {
            var frame: [UInt8] = []
            encoder.append(.binary(message), to: &frame)
            let sent = payload(frame)
            #expect(sent.isCompressed)
            payloads.append(sent.bytes)
        }
        #expect(inflatedByZlib(payloads, bits: Int32(bits)) == messages.flatMap { $0 })
        #expect((payloads[3].count < payloads[0].count / 2) == keepsContext)
    }
}

@Test func theExamplesOfTheRFCInflate() {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
    let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
    let twoBlocks: [UInt8] = [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
    let text = MessageDecoder.Event.message(.text("Hello"))
    func outcome(_ payloads: [[UInt8]], _ parameters: CompressionParameters) -> Outcome {
        decode([payloads.flatMap { Wire.frame(1, $0, reserved: 4) }], compression: parameters)
    }
    let takeover = CompressionParameters()
    let forgetful = CompressionParameters(clientNoContextTakeover: true)
    for payload in [hello, stored, final, twoBlocks] {
        #expect(outcome([payload], takeover) == Outcome(events: [text]))
        #expect(outcome([payload, payload], forgetful) == Outcome(events: [text, text]))
    }
    #expect(outcome([hello, again, final, again, hello], takeover) == Outcome(events: [text, text, text, text, text]))
    #expect(outcome([hello, again], forgetful).violation == .corruptCompression)
    #expect(outcome([[0x00]], takeover) == Outcome(events: [.message(.text(""))]))

    let fragments = Wire.frame(1, Array(hello[..<3]), fin: false, reserved: 4) + Wire.frame(0, Array(hello[3...]))
    #expect(decode([fragments], compression: takeover) == Outcome(events: [text]))
    #expect(decode(fragments.map { [$0] }, compression: takeover) == Outcome(events: [text]))
}

@Test func anUncompressedMessageBetweenCompressedOnesIsTakenAsItIs() {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    let bytes =
        Wire.frame(1, hello, reserved: 4) + Wire.frame(1, Array("plain".utf8)) + Wire.frame(1, again, reserved: 4)
    let texts = ["Hello", "plain", "Hello"].map { MessageDecoder.Event.message(.text($0)) }
    #expect(decode([bytes], compression: CompressionParameters()) == Outcome(events: texts))
}

@Test func aMessageThatZlibEndsWithAFinalBlockIsTaken() {
    let payload = deflatedByZlib(sentence, flush: Z_FINISH)
    let message = MessageDecoder.Event.message(.binary(sentence))
    for parameters in [CompressionParameters(), CompressionParameters(clientNoContextTakeover: true)] {
        let frames = Wire.frame(2, payload, reserved: 4) + Wire.frame(2, payload + [0], reserved: 4)
        #expect(decode([frames], compression: parameters) == Outcome(events: [message, message]))
    }
}

@Test func manyFinalBlocksInOneMessageAreRefused() {
    let one: [UInt8] = [0x03, 0x00]
    let few = Array(repeatElement(one, count: 10).joined()) + [0]
    let many = Array(repeatElement(one, count: 100).joined()) + [0]
    let compression = CompressionParameters()
    let control = decode([Wire.frame(2, few, reserved: 4)], compression: compression)
    #expect(control == Outcome(events: [.message(.binary([]))]))
    #expect(decode([Wire.frame(2, many, reserved: 4)], compression: compression).violation == .corruptCompression)
}

@Test func aDecompressionBombStopsAtTheLimit() {
    let bomb = deflatedByZlib([UInt8](repeating: 0, count: 8 << 20))
    #expect(bomb.count < 16 << 10)
    let compression = CompressionParameters(clientNoContextTakeover: true)
    func outcome(_ limit: Int) -> Outcome {
        let limits = MessageLimits(inflatedBytes: limit)
        return decode([Wire.frame(2, bomb, reserved: 4)], limits: limits, compression: compression)
    }
    #expect(outcome(8 << 20).violation == nil)
    let below = (8 << 20) - 1
    #expect(outcome(below).violation == .inflatedMessageTooLarge(limit: below))
    #expect(outcome(1).violation == .inflatedMessageTooLarge(limit: 1))
    #expect(outcome(1).violation?.closeCode == .messageTooBig)
    #expect(outcome(.max).violation == nil)
}

@Test func compressedTextIsCheckedAfterInflating() {
    let good = deflatedByZlib(Array("h€llo h€llo".utf8))
    let bad = deflatedByZlib(Array("h€llo ".utf8) + [0xFF])
    let cut = deflatedByZlib(Array("h€llo".utf8) + [0xE2, 0x82])
    let compression = CompressionParameters()
    func outcome(_ payload: [UInt8], _ opcode: UInt8) -> Outcome {
        decode([Wire.frame(opcode, payload, reserved: 4)], compression: compression)
    }
    #expect(outcome(good, 1).events == [.message(.text("h€llo h€llo"))])
    for payload in [bad, cut] {
        #expect(outcome(payload, 1).violation == .invalidUTF8)
        #expect(outcome(payload, 2).violation == nil)
    }
}

@Test func shortMessagesAreSentUncompressed() {
    let settings = CompressionSettings(threshold: 10)
    var encoder = MessageEncoder(role: .server, compression: CompressionParameters(), settings: settings)
    var frame: [UInt8] = []
    encoder.append(.text("123456789"), to: &frame)
    #expect(!payload(frame).isCompressed)
    frame = []
    encoder.append(.text("1234567890"), to: &frame)
    #expect(payload(frame).isCompressed)
}

@Test func connectionsWithoutContextShareTheirStreams() {
    let pool = CompressionPool(capacity: 2)
    let parameters = CompressionParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    let settings = CompressionSettings(threshold: 0)
    var output: [UInt8] = []
    for _ in 0..<50 {
        var encoder = MessageEncoder(role: .client, compression: parameters, settings: settings, pool: pool)
        encoder.append(.binary(sentence), to: &output)
    }
    #expect(pool.idleStreams.deflate == 1)
    let events = decode([output], compression: parameters, pool: pool).events
    #expect(events == Array(repeating: .message(.binary(sentence)), count: 50))
    #expect(pool.idleStreams == (1, 1))
}

@Test func theVerdictOnDamagedTextDoesNotDependOnHowItIsSplit() {
    // Inflates to bytes that are no text, and then breaks off.
    let damaged: [UInt8] = [
        0xC1, 0x4A, 0x0B, 0x48, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x10, 0x40, 0x6B, 0x00, 0x00, 0x01, 0xAF,
        0xCC, 0xCC, 0x03, 0x00,
    ]
    let long = deflatedByZlib([0x41, 0xFF] + [UInt8](repeating: 0x41, count: 2000))
    let frame = Wire.frame(1, long, reserved: 4, masked: false)
    for (bytes, limit) in [(damaged, 1000), (frame, 1000), (frame, 5000)] {
        func outcome(_ pieces: [[UInt8]]) -> Outcome {
            let limits = MessageLimits(inflatedBytes: limit)
            return decode(pieces, role: .client, limits: limits, compression: CompressionParameters())
        }
        #expect(outcome([bytes]).violation == .invalidUTF8)
        #expect(outcome(bytes.map { [$0] }) == outcome([bytes]))
    }
}

@Test(arguments: [8, 9, 12, 15])
func theVerdictOnAReachBeyondTheWindowDoesNotDependOnHowItIsSplit(bits: Int) {
    var generator = SeededGenerator(seed: 11)
    let block = (0..<9000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // The second block refers 9,000 bytes back, farther than the smaller windows that were agreed on.
    let frame = Wire.frame(2, deflatedByZlib(block + block), reserved: 4, masked: false)
    for forgets in [false, true] {
        let parameters = CompressionParameters(serverNoContextTakeover: forgets, serverMaxWindowBits: bits)
        let whole = decode([frame], role: .client, compression: parameters)
        // Compared first, because a failing comparison would print all bytes.
        let isWhole = whole == Outcome(events: [.message(.binary(block + block))])
        let isSame = decode(frame.map { [$0] }, role: .client, compression: parameters) == whole
        #expect(isWhole)
        #expect(isSame)
    }
}

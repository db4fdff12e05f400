import Testing

@testable import WebSocket

@Test func aMaskEqualsTheByteByByteDefinitionForEveryLengthAndSplit() {
    let key: [UInt8] = [0x01, 0x80, 0xFF, 0x5A]
    var wrong: [String] = []
    for length in 0...70 {
        let clear = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let expected = clear.enumerated().map { $1 ^ key[$0 % 4] }
        for split in 0...length {
            var mask = Mask(key[0], key[1], key[2], key[3])
            var bytes = clear
            bytes.withUnsafeMutableBytes { all in
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[..<split]))
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[split...]))
            }
            if bytes != expected { wrong.append("\(length) split at \(split)") }
        }
    }
    #expect(wrong == [])
}

@Test func maskKeysAreDrawnForEachFrameAndUndoneByTheReceiver() {
    let keys = Keys()
    var encoder = MessageEncoder(role: .client, maskKey: { keys.next() })
    var output: [UInt8] = []
    encoder.append(.text("abc"), to: &output)
    encoder.append(.text("abc"), to: &output)
    #expect(output.count == 18)
    #expect(output[..<9] != output[9...])
    #expect(decode([output]).events == [.message(.text("abc")), .message(.text("abc"))])
}

@Test func theDefaultMaskKeyDiffersFromFrameToFrame() {
    var encoder = MessageEncoder(role: .client)
    var keys: Set<[UInt8]> = []
    for _ in 0..<64 {
        var output: [UInt8] = []
        encoder.append(.text(""), to: &output)
        keys.insert(Array(output[2...]))
    }
    #expect(keys.count > 60)
}

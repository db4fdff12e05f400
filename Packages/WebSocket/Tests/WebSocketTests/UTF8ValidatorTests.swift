import TestSupport
import Testing

@testable import WebSocket

private func accepts(_ pieces: [[UInt8]]) -> Bool {
    var validator = UTF8Validator()
    for piece in pieces {
        guard piece.withUnsafeBytes({ validator.accept($0) }) else { return false }
    }
    return validator.isComplete
}

/// Bytes, and how many of them a validator takes before it refuses; nil when all are valid.
private let rows: [(bytes: [UInt8], refusedAt: Int?)] = [
    ([], nil), ([0x00], nil), ([0x7F], nil),
    ([0xC2, 0x80], nil), ([0xDF, 0xBF], nil), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0x80], 0), ([0xBF], 0),
    ([0xE0, 0xA0, 0x80], nil), ([0xE0, 0x9F, 0xBF], 1), ([0xED, 0x9F, 0xBF], nil), ([0xED, 0xA0, 0x80], 1),
    ([0xEE, 0x80, 0x80], nil), ([0xEF, 0xBF, 0xBF], nil), ([0xE1, 0x80, 0x41], 2), ([0xE1, 0x41, 0x80], 1),
    ([0xF0, 0x90, 0x80, 0x80], nil), ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF4, 0x8F, 0xBF, 0xBF], nil),
    ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFE], 0), ([0xFF], 0),
    ([0xF1, 0x80, 0x80, 0x41], 3),
]

@Test(arguments: rows)
func utf8IsRefusedAtTheFirstByteThatCannotContinueIt(bytes: [UInt8], refusedAt: Int?) {
    var validator = UTF8Validator()
    var refused: Int?
    for (index, byte) in bytes.enumerated() where refused == nil {
        if ![byte].withUnsafeBytes({ validator.accept($0) }) { refused = index }
    }
    #expect(refused == refusedAt)
    let padded = [UInt8](repeating: 0x41, count: 37) + bytes
    #expect(accepts([padded]) == (refusedAt == nil))
}

@Test(arguments: [[0xC2], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]])
func textThatEndsInsideACharacterIsNotComplete(bytes: [UInt8]) {
    #expect(!accepts([bytes]))
    #expect(!accepts([Array("abc".utf8) + bytes]))
}

@Test func validationInPiecesAgreesWithTheStandardLibraryOnRandomBytes() {
    var generator = SeededGenerator(seed: 7)
    let starts: [UInt8] = [0x41, 0x7F, 0x80, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0x90, 0x9F, 0xA0, 0x8F]
    var wrong: [[UInt8]] = []
    for _ in 0..<20_000 {
        let length = Int.random(in: 0...8, using: &generator)
        var bytes = (0..<length).map { _ in starts.randomElement(using: &generator) ?? 0 }
        if Bool.random(using: &generator) { bytes = Array("ascii text that is longer than a word ".utf8) + bytes }
        let split = Int.random(in: 0...bytes.count, using: &generator)
        let expected = String(validating: bytes, as: UTF8.self) != nil
        if accepts([Array(bytes[..<split]), Array(bytes[split...])]) != expected { wrong.append(bytes) }
    }
    #expect(wrong == [])
}

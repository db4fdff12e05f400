import QRCode
import Testing

@Suite("A QR code")
struct QRCodeTests {
    @Test(
        "takes the smallest version that holds the bytes",
        arguments: [(0, 1), (14, 1), (15, 2), (63, 5), (180, 9), (2_331, 40)]
    )
    func versions(count: Int, version: Int) throws {
        let code = try QRCode([UInt8](repeating: 97, count: count))
        #expect(code.version == version)
        #expect(code.size == 17 + 4 * version)
    }

    @Test("holds at most 2,331 bytes")
    func tooLong() {
        #expect(throws: QRCode.Problem.tooLong(limit: 2_331)) { try QRCode([UInt8](repeating: 0, count: 2_332)) }
    }

    @Test("has its three finders, the timing lines and the dark module")
    func patterns() throws {
        let code = try QRCode("nostr:npub1")
        for (x, y) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            #expect((0..<7).allSatisfy { code.isDark(x + $0, y) && code.isDark(x, y + $0) })
            #expect(!code.isDark(x + 1, y + 1) && code.isDark(x + 3, y + 3))
        }
        #expect((8..<(code.size - 8)).allSatisfy { code.isDark($0, 6) == ($0 % 2 == 0) })
        #expect(code.isDark(8, code.size - 8))
        #expect(!code.isDark(-1, 0) && !code.isDark(0, code.size))
    }

    @Test("for a terminal has two rows a line and its quiet zone")
    func text() throws {
        let code = try QRCode("a")
        let lines = code.text().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == (code.size + 8 + 1) / 2)
        #expect(lines.allSatisfy { $0.count == code.size + 8 })
        #expect(lines[0].allSatisfy { $0 == "█" })
        #expect(code.text(isInverted: false).first == " ")
    }
}

import NostrCrypto
import Testing

@Suite("Bytes32 and hex")
struct Bytes32Tests {
    static let digits = "00017f80ff10fedcba9876543210abcdef0123456789deadbeefcafebabe4242"

    @Test func hexIsReadAndWrittenUnchanged() throws {
        let value = try Bytes32(hex: Self.digits)
        #expect(value.hex == Self.digits)
        #expect("\(value)" == Self.digits)
        #expect(value.array.prefix(6) == [0x00, 0x01, 0x7f, 0x80, 0xff, 0x10])
        #expect(try Bytes32(value.array) == value)
        #expect(try Bytes32(value.array.span.bytes) == value)
        #expect(try value.withUnsafeBytes { try Bytes32($0) } == value)
        #expect(try Bytes32(AnyCollection(value.array)) == value)
        let words = value.words
        #expect(Bytes32(words: words.0, words.1, words.2, words.3) == value)
    }

    @Test func upperCaseIsRefusedWhereNostrWantsLowerCase() throws {
        #expect(throws: CryptoError.invalidHex) { try Bytes32(hex: Self.digits.uppercased()) }
        #expect(throws: CryptoError.invalidHex) { try Hex.decode("AA") }
        #expect(try Hex.decode("aA0F", accepting: .either) == [0xaa, 0x0f])
    }

    @Test(arguments: [0, 31, 33, 64])
    func anotherLengthIsRefused(count: Int) {
        let error = CryptoError.invalidLength(expected: 32, actual: count)
        #expect(throws: error) { try Bytes32([UInt8](repeating: 1, count: count)) }
        #expect(throws: error) { try Bytes32(hex: String(repeating: "01", count: count)) }
    }

    @Test func oddDigitsAreRefused() throws {
        #expect(throws: CryptoError.invalidHex) { try Hex.decode("abc") }
        #expect(throws: CryptoError.invalidHex) { try Bytes32(hex: Self.digits + "0") }
        #expect(try Hex.decode("") == [])
    }

    /// Each place of a text of 20 digits (two words of eight, and a rest) with each character that can stand there.
    @Test func everyCharacterInEveryPlaceIsJudgedRight() {
        var wrong: [String] = []
        for place in 0..<20 {
            for scalar in (0..<0x80).compactMap({ Unicode.Scalar(UInt32($0)) }) + ["\u{e9}", "\u{130}", "\u{ff11}"] {
                var scalars = Array(repeating: Unicode.Scalar("5"), count: 20)
                scalars[place] = scalar
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                let isLower = "0123456789abcdef".unicodeScalars.contains(scalar)
                let isEither = isLower || "ABCDEF".unicodeScalars.contains(scalar)
                if ((try? Hex.decode(String(text))) != nil) != isLower { wrong.append("lower \(place) \(scalar)") }
                if ((try? Hex.decode(String(text), accepting: .either)) != nil) != isEither {
                    wrong.append("either \(place) \(scalar)")
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func everyByteSurvivesEveryLength() throws {
        var wrong: [Int] = []
        for count in 0...256 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let text = Hex.encode(bytes)
            if text.count != bytes.count * 2 || (try? Hex.decode(text)) != bytes { wrong.append(count) }
            if (try? Hex.decode(text.uppercased(), accepting: .either)) != bytes { wrong.append(count) }
        }
        #expect(wrong == [])
        #expect(Hex.encode(Array(0...255).prefix(20)) == "000102030405060708090a0b0c0d0e0f10111213")
    }

    @Test func orderIsThatOfTheBytesAndOfTheHex() throws {
        var values: [Bytes32] = []
        for place in 0..<32 {
            for byte: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var bytes = [UInt8](repeating: 0x55, count: 32)
                bytes[place] = byte
                values.append(try Bytes32(bytes))
            }
        }
        #expect(values.sorted() == values.sorted { $0.array.lexicographicallyPrecedes($1.array) })
        #expect(values.sorted() == values.sorted { $0.hex < $1.hex })
    }
}

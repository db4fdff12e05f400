import NostrCrypto
import TestSupport
import Testing

struct Bech32Table: Decodable {
    struct Valid: Decodable {
        let hrp: String
        let data: String
        let variant: String
        let text: String
    }
    struct Invalid: Decodable {
        let problem: String
        let text: String
        let limit: Int
    }
    let valid: [Valid]
    let invalid: [Invalid]
}

@Suite("Bech32 and bech32m")
struct Bech32Tests {
    let table: Bech32Table

    init() throws {
        table = try Cases.table("bech32", of: "NostrCrypto")
    }

    @Test func textsAreWrittenAndReadInBothVariants() throws {
        #expect(table.valid.count == 98)
        for row in table.valid {
            let variant: Bech32.Variant = row.variant == "bech32" ? .bech32 : .bech32m
            let data = try Hex.decode(row.data)
            let decoded = try Bech32.decode(row.text)
            #expect(decoded.humanReadablePart == row.hrp)
            #expect(decoded.data == data)
            #expect(decoded.variant == variant)
            #expect(try Bech32.decode(row.text.uppercased()) == decoded)
            #expect(try Bech32.encode(hrp: row.hrp, data: data, variant: variant) == row.text)
        }
    }

    @Test func brokenTextsAreRefusedForTheirReason() {
        #expect(table.invalid.count > 30)
        for row in table.invalid {
            do {
                let decoded = try Bech32.decode(row.text, limit: row.limit)
                Issue.record("\(row.text) was read as \(decoded)")
            } catch .invalidBech32(let problem) {
                #expect(Self.name(problem) == row.problem, "\(row.text)")
            } catch {
                Issue.record("\(row.text) was refused as \(error)")
            }
        }
    }

    static func name(_ problem: Bech32.Problem) -> String {
        switch problem {
        case .tooLong: "tooLong"
        case .noSeparator: "noSeparator"
        case .invalidPrefix: "invalidPrefix"
        case .mixedCase: "mixedCase"
        case .invalidCharacter: "invalidCharacter"
        case .tooShort: "tooShort"
        case .wrongChecksum: "wrongChecksum"
        case .invalidPadding: "invalidPadding"
        }
    }

    /// Strings that BIP-173 and BIP-350 themselves name, as five-bit values: not all are whole bytes.
    @Test(arguments: [
        ("A12UEL5L", "a", 0, Bech32.Variant.bech32),
        ("?1ezyfcl", "?", 0, .bech32),
        ("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", 32, .bech32),
        ("split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split", 48, .bech32),
        ("A1LQFN3A", "a", 0, .bech32m),
        ("?1v759aa", "?", 0, .bech32m),
        ("abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx", "abcdef", 32, .bech32m),
        ("split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "split", 48, .bech32m),
    ])
    func theStandardsOwnTextsAreRead(text: String, hrp: String, count: Int, variant: Bech32.Variant) throws {
        let decoded = try Bech32.decodeValues(text)
        #expect(decoded.humanReadablePart == hrp)
        #expect(decoded.data.count == count)
        #expect(decoded.variant == variant)
    }

    @Test func theLimitIsAParameterOnBothSides() throws {
        let data = [UInt8](repeating: 7, count: 500)
        #expect(throws: CryptoError.invalidBech32(.tooLong(limit: 90))) { try Bech32.encode(hrp: "long", data: data) }
        let text = try Bech32.encode(hrp: "long", data: data, limit: 5000)
        #expect(throws: CryptoError.invalidBech32(.tooLong(limit: 90))) { try Bech32.decode(text) }
        #expect(try Bech32.decode(text, limit: text.utf8.count).data == data)
        #expect(throws: CryptoError.invalidBech32(.tooLong(limit: text.utf8.count - 1))) {
            try Bech32.decode(text, limit: text.utf8.count - 1)
        }
    }

    @Test(arguments: ["", "Npub", "a b", "\u{e9}", "a\u{7f}", String(repeating: "x", count: 84)])
    func anImpossiblePrefixIsNotWritten(hrp: String) {
        #expect(throws: CryptoError.invalidBech32(.invalidPrefix)) { try Bech32.encode(hrp: hrp, data: [], limit: 200) }
    }

    @Test func everySingleMistypedCharacterIsFound() throws {
        let text = try Bech32.encode(hrp: "npub", data: 0..<32)
        var unnoticed: [String] = []
        for place in text.indices where place >= text.index(text.startIndex, offsetBy: 5) {
            for character in "qpzry9x8gf2tvdw0s3jn54khce6mua7l" where character != text[place] {
                var changed = text
                changed.replaceSubrange(place...place, with: [character])
                if (try? Bech32.decode(changed)) != nil { unnoticed.append(changed) }
            }
        }
        #expect(unnoticed == [])
    }

    @Test func whateverIsWrittenIsReadAndWhateverIsThrownAtItIsAnswered() {
        var generator = SystemRandomNumberGenerator()
        var wrong: [String] = []
        for _ in 0..<500 {
            let hrp = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 1...83, using: &generator)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 33...126, using: &generator))
                    }
                )
            ).lowercased()
            let data = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255) }
            let variant = Bech32.Variant.allCases.randomElement(using: &generator) ?? .bech32
            guard let text = try? Bech32.encode(hrp: hrp, data: data, variant: variant, limit: 1000),
                let decoded = try? Bech32.decode(text.uppercased(), limit: 1000),
                decoded == (try? Bech32.decode(text, limit: 1000)),
                decoded.data == data, decoded.humanReadablePart == hrp, decoded.variant == variant
            else {
                wrong.append(hrp)
                continue
            }
            // Cut, doubled, or with any byte in any place; only what is the text in upper case may still be read.
            var bytes = Array(text.utf8)
            for _ in 0..<3 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.removeLast(Int.random(in: 0...min(3, bytes.count), using: &generator))
                case 1: bytes += bytes.prefix(20)
                case 2: bytes.reverse()
                default:
                    if let place = bytes.indices.randomElement(using: &generator) {
                        bytes[place] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
                let changed = String(decoding: bytes, as: UTF8.self)
                if changed.lowercased() != text, (try? Bech32.decode(changed, limit: 1000)) != nil {
                    wrong.append(changed)
                }
            }
        }
        #expect(wrong == [])
    }
}

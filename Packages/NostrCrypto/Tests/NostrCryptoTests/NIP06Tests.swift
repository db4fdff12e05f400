import Foundation
import NostrCrypto
import TestSupport
import Testing

struct NIP06Table: Decodable {
    struct Valid: Decodable {
        let entropy: String
        let phrase: String
        let passphrase: String
        let seed: String
        let account: UInt32
        let secret: String
        let `public`: String
    }
    struct Invalid: Decodable {
        let what: String
        let phrase: String
    }
    let valid: [Valid]
    let invalid: [Invalid]
}

@Suite("Mnemonics and derived keys (BIP-39, BIP-32, NIP-06)")
struct NIP06Tests {
    let table: NIP06Table

    init() throws {
        table = try Cases.table("nip06", of: "NostrCrypto")
    }

    static func hex(_ secret: SecretBytes) -> String {
        secret.withUnsafeBytes { Hex.encode($0) }
    }

    @Test func wordsSeedsAndKeysAreThoseOfPeers() throws {
        #expect(table.valid.count == 15)
        for row in table.valid {
            let mnemonic = try Mnemonic(entropy: SecretBytes(Hex.decode(row.entropy)))
            #expect(mnemonic.phrase == row.phrase)
            #expect(try Mnemonic(phrase: row.phrase) == mnemonic)
            #expect(Self.hex(mnemonic.entropy) == row.entropy)
            #expect(mnemonic.wordCount == row.phrase.split(separator: " ").count)
            #expect(try Self.hex(mnemonic.seed(passphrase: row.passphrase)) == row.seed)
            let key = try mnemonic.secretKey(account: row.account, passphrase: row.passphrase)
            #expect(try key == SecretKey(hex: row.secret))
            #expect(key.publicKey.hex == row.public)
        }
    }

    @Test func mistakenWordsAreRefused() throws {
        #expect(table.invalid.count == 14)
        for row in table.invalid {
            let problem: Mnemonic.Problem =
                switch row.what {
                case "a word missing": .wordCount(row.phrase.split(separator: " ").count)
                case "nothing": .wordCount(0)
                case "a word of no list": .unknownWord(position: 4)
                default: .checksum
                }
            #expect(throws: CryptoError.invalidMnemonic(problem), "\(row.what)") { try Mnemonic(phrase: row.phrase) }
        }
    }

    @Test func wordsMayBeTypedCarelessly() throws {
        let row = table.valid[0]
        let tidy = try Mnemonic(phrase: row.phrase)
        let careless = "\n  " + row.phrase.uppercased().replacing(" ", with: " \t\r\n\u{3000}") + " "
        #expect(try Mnemonic(phrase: careless) == tidy)
    }

    @Test(arguments: [0, 11, 13, 25, 27, 100_000])
    func otherNumbersOfWordsAreRefused(count: Int) {
        let phrase = String(repeating: "abandon ", count: count)
        #expect(throws: CryptoError.invalidMnemonic(.wordCount(min(count, 26)))) { try Mnemonic(phrase: phrase) }
        #expect(throws: CryptoError.invalidMnemonic(.wordCount(count))) { try Mnemonic.generate(wordCount: count) }
    }

    @Test(arguments: [0, 4, 15, 17, 33, 36])
    func otherSizesOfEntropyAreRefused(size: Int) {
        #expect(throws: CryptoError.invalidMnemonic(.entropySize(size))) {
            try Mnemonic(entropy: SecretBytes([UInt8](repeating: 1, count: size)))
        }
    }

    @Test(arguments: [12, 15, 18, 21, 24])
    func newWordsAreValidAndDiffer(count: Int) throws {
        let mnemonic = try Mnemonic.generate(wordCount: count)
        #expect(mnemonic.wordCount == count)
        #expect(try Mnemonic(phrase: mnemonic.phrase) == mnemonic)
        #expect(try Mnemonic.generate(wordCount: count) != mnemonic)
    }

    /// With n words one of 2^(n/3) is right; so changing the last word through the whole list leaves 2048 / 2^(n/3).
    @Test func theChecksumLetsThroughTheShareThatItMust() throws {
        let row = try #require(table.valid.first { $0.phrase.split(separator: " ").count == 24 })
        let words = row.phrase.split(separator: " ").map(String.init)
        let list = try EnglishList.words()
        let accepted = list.filter { word in
            (try? Mnemonic(phrase: (words.dropLast() + [word]).joined(separator: " "))) != nil
        }
        #expect(accepted.count == 8)
        #expect(words.last.map(accepted.contains) == true)
    }

    @Test func theListIsThatOfBIP39() throws {
        let file = try EnglishList.words().map { $0 + "\n" }.joined()
        let digest = SHA256.hash(Array(file.utf8))
        #expect(digest.hex == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
    }

    @Test func anAccountAboveTheLargestIsRefused() throws {
        let mnemonic = try Mnemonic(phrase: table.valid[0].phrase)
        #expect(throws: CryptoError.invalidDerivationIndex(0x8000_0000)) {
            try mnemonic.secretKey(account: 0x8000_0000)
        }
        #expect(throws: Never.self) { try mnemonic.secretKey(account: 0x7fff_ffff) }
    }

    @Test(arguments: [0, 15, 65])
    func aSeedOfAnotherSizeIsRefused(count: Int) {
        #expect(throws: CryptoError.invalidLength(expected: 64, actual: count)) {
            try ExtendedSecretKey(seed: SecretBytes([UInt8](repeating: 1, count: count)))
        }
    }

    @Test func noTextFormShowsTheWordsOrTheSeed() throws {
        let mnemonic = try Mnemonic(phrase: table.valid[0].phrase)
        let root = try ExtendedSecretKey(seed: mnemonic.seed())
        #expect(!SecretsTests.texts(mnemonic).contains { $0.contains("abandon") })
        #expect(SecretsTests.texts(mnemonic.phrase).contains { $0.contains("abandon") })
        #expect("\(mnemonic)" == "Mnemonic(redacted)")
        #expect(SecretsTests.texts(root).allSatisfy { !$0.contains(Self.hex(root.chainCode).prefix(8)) })
        #expect("\(root)" == "ExtendedSecretKey(redacted)")
    }
}

/// The list, by asking for the word at each place.
enum EnglishList {
    static func words() throws -> [String] {
        try (0..<2048).map { place in
            // The first 11 bits of the entropy are the first word.
            var entropy = [UInt8](repeating: 0, count: 16)
            entropy[0] = UInt8(place >> 3)
            entropy[1] = UInt8(place & 7) << 5
            return try String(Mnemonic(entropy: SecretBytes(entropy)).phrase.prefix { $0 != " " })
        }
    }
}

@Suite("BIP-39 vectors", .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence)))
struct BIP39VectorTests {
    @Test func entropyWordsSeedsAndRootsAreThoseOfTheReference() throws {
        let file = try JSONDecoder().decode([String: [[String]]].self, from: OutsideVectors.data("bip39.json"))
        let rows = try #require(file["english"])
        #expect(rows.count == 24)
        for row in rows {
            let mnemonic = try Mnemonic(phrase: row[1])
            #expect(NIP06Tests.hex(mnemonic.entropy) == row[0])
            #expect(try Mnemonic(entropy: SecretBytes(Hex.decode(row[0]))).phrase == row[1])
            let seed = try mnemonic.seed(passphrase: "TREZOR")
            #expect(NIP06Tests.hex(seed) == row[2])
            let root = try ExtendedSecretKey(seed: seed)
            let serialised = try #require(Self.base58(row[3]))
            // Version, depth, parent and number of a root; then the chain code, a zero and the key; then a checksum.
            #expect(Hex.encode(serialised[..<13]) == "0488ade4" + String(repeating: "0", count: 18))
            #expect(NIP06Tests.hex(root.chainCode) == Hex.encode(serialised[13..<45]))
            #expect(root.secretKey.withUnsafeBytes { Hex.encode($0) } == Hex.encode(serialised[46..<78]))
            let digest = SHA256.hash(SHA256.hash(Array(serialised[..<78])).array)
            #expect(digest.array.prefix(4) == serialised[78...])
        }
    }

    /// 82 bytes of base 58.
    static func base58(_ text: String) -> [UInt8]? {
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var bytes = [UInt8](repeating: 0, count: 82)
        for character in text {
            guard var carry = alphabet.firstIndex(of: character) else { return nil }
            for index in bytes.indices.reversed() {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 255)
                carry >>= 8
            }
            guard carry == 0 else { return nil }
        }
        return bytes
    }
}

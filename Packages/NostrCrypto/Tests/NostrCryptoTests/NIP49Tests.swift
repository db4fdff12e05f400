import NostrCrypto
import TestSupport
import Testing

@Suite("NIP-49")
struct NIP49Tests {
    struct Table: Decodable {
        struct Valid: Decodable {
            let passphrase, secret, text: String
            let logN: Int
            let keySecurity: UInt8
        }
        struct Invalid: Decodable {
            let problem, text, passphrase: String
        }
        let valid: [Valid]
        let invalid: [Invalid]
    }

    let table: Table

    init() throws {
        table = try Cases.table("nip49", of: "NostrCrypto")
    }

    @Test func theExampleOfTheTextIsOpened() throws {
        let text = """
            ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3f\
            rztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p
            """
        let opened = try NIP49.decrypt(text, passphrase: "nostr")
        opened.secretKey.withUnsafeBytes {
            #expect(Hex.encode($0) == "3501454135014541350145413501453fefb02227e449e57cf4d3a3ce05378683")
        }
        #expect(opened.keySecurity == .handledInsecurely)
        #expect(try NIP49.logN(of: text) == 16)
    }

    @Test func whatPeersMadeIsOpened() throws {
        #expect(table.valid.count == 7)
        for row in table.valid {
            let opened = try NIP49.decrypt(row.text, passphrase: row.passphrase)
            opened.secretKey.withUnsafeBytes { #expect(Hex.encode($0) == row.secret) }
            #expect(opened.keySecurity.rawValue == row.keySecurity)
            #expect(try NIP49.logN(of: row.text) == row.logN)
        }
    }

    @Test func whatIsWrongIsRefusedForTheStatedReason() throws {
        #expect(table.invalid.count == 16)
        for row in table.invalid {
            let error = #expect(throws: CryptoError.self) { try NIP49.decrypt(row.text, passphrase: row.passphrase) }
            let expected: [CryptoError] =
                switch row.problem {
                case "wrongPassphrase": [.nip49(.wrongPassphrase)]
                case "unsupportedVersion": [0, 1, 3].map { .nip49(.unsupportedVersion($0)) }
                case "wrongLength": [.nip49(.wrongLength)]
                case "notEncryptedKey": [.nip49(.notEncryptedKey)]
                case "unknownKeySecurity": [.nip49(.unknownKeySecurity(3))]
                case "invalidSecretKey": [.invalidSecretKey]
                default: []
                }
            #expect(error.map(expected.contains) == true, "\(row.problem): \(String(describing: error))")
        }
    }

    @Test(arguments: NIP49.KeySecurity.allCases)
    func whatIsEncryptedIsOpened(keySecurity: NIP49.KeySecurity) throws {
        let key = SecretKey.generate()
        let text = try NIP49.encrypt(key, passphrase: "e\u{301}", logN: 4, keySecurity: keySecurity)
        #expect(text.hasPrefix("ncryptsec1"))
        // Another way to write the same letters.
        let opened = try NIP49.decrypt(text, passphrase: "\u{e9}")
        #expect(opened.secretKey == key && opened.keySecurity == keySecurity)
        #expect(try NIP49.decrypt(text.uppercased(), passphrase: "\u{e9}").secretKey == key)
        #expect(throws: CryptoError.nip49(.wrongPassphrase)) { try NIP49.decrypt(text, passphrase: "e") }
    }

    @Test func aCostAboveTheCeilingIsRefused() throws {
        let key = SecretKey.generate()
        let text = try NIP49.encrypt(key, passphrase: "", logN: 5)
        #expect(try NIP49.decrypt(text, passphrase: "", maximumLogN: 5).secretKey == key)
        #expect(throws: CryptoError.nip49(.costTooHigh(logN: 5, maximum: 4))) {
            try NIP49.decrypt(text, passphrase: "", maximumLogN: 4)
        }
        #expect(throws: CryptoError.nip49(.costTooHigh(logN: 21, maximum: 20))) {
            try NIP49.encrypt(key, passphrase: "", logN: 21)
        }
        for odd in [0, -1, Int.min] {
            #expect(throws: CryptoError.invalidScryptParameter) { try NIP49.encrypt(key, passphrase: "", logN: odd) }
        }
        // As a hostile text could say, to a caller without a ceiling of his own.
        var content = try Bech32.decode(text, limit: 200).data
        for (logN, error) in [
            (UInt8(0), CryptoError.invalidScryptParameter), (64, .invalidScryptParameter),
            (255, .invalidScryptParameter), (63, .memoryCeilingExceeded(ceiling: .max)),
        ] {
            content[1] = logN
            let hostile = try Bech32.encode(hrp: "ncryptsec", data: content, variant: .bech32, limit: 200)
            #expect(throws: error) { try NIP49.decrypt(hostile, passphrase: "", maximumLogN: .max) }
            #expect(throws: CryptoError.self) { try NIP49.decrypt(hostile, passphrase: "") }
        }
    }

    @Test func anyChangedByteIsRefused() throws {
        let key = SecretKey.generate()
        let content = try Bech32.decode(try NIP49.encrypt(key, passphrase: "a", logN: 1), limit: 200).data
        var accepted: [Int] = []
        for index in content.indices {
            var changed = content
            changed[index] ^= 1
            let text = try Bech32.encode(hrp: "ncryptsec", data: changed, variant: .bech32, limit: 200)
            if (try? NIP49.decrypt(text, passphrase: "a")) != nil { accepted.append(index) }
        }
        #expect(accepted == [])
        let control = try Bech32.encode(hrp: "ncryptsec", data: content, variant: .bech32, limit: 200)
        #expect(try NIP49.decrypt(control, passphrase: "a").secretKey == key)
    }

    @Test func whatIsOpenedShowsNoSecret() throws {
        let opened = try NIP49.decrypt(table.valid[0].text, passphrase: table.valid[0].passphrase)
        var dumped = ""
        dump(opened, to: &dumped)
        #expect(dumped.contains("redacted"))
        #expect(!dumped.contains(table.valid[0].secret))
    }
}

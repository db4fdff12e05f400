import Foundation
@testable import NostrCrypto
import TestSupport
import Testing

@Suite(
    "NIP-44 against the official vectors",
    .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence))
)
struct NIP44VectorTests {
    struct File: Decodable {
        struct Version: Decodable {
            let valid: Valid
            let invalid: Invalid
        }
        let v2: Version
    }

    struct Valid: Decodable {
        struct Conversation: Decodable {
            let sec1, pub2, conversation_key: String
        }
        struct MessageKeys: Decodable {
            struct Keys: Decodable {
                let nonce, chacha_key, chacha_nonce, hmac_key: String
            }
            let conversation_key: String
            let keys: [Keys]
        }
        struct Message: Decodable {
            let sec1, sec2, conversation_key, nonce, plaintext, payload: String
        }
        struct LongMessage: Decodable {
            let conversation_key, nonce, pattern, plaintext_sha256, payload_sha256: String
            let `repeat`: Int
        }
        let get_conversation_key: [Conversation]
        let get_message_keys: MessageKeys
        let calc_padded_len: [[Int]]
        let encrypt_decrypt: [Message]
        let encrypt_decrypt_long_msg: [LongMessage]
    }

    struct Invalid: Decodable {
        struct Conversation: Decodable {
            let sec1, pub2, note: String
        }
        struct Message: Decodable {
            let conversation_key, payload, note: String
        }
        let encrypt_msg_lengths: [Int]
        let get_conversation_key: [Conversation]
        let decrypt: [Message]
    }

    let valid: Valid
    let invalid: Invalid

    init() throws {
        let file = try JSONDecoder().decode(File.self, from: OutsideVectors.data("nip44.vectors.json"))
        valid = file.v2.valid
        invalid = file.v2.invalid
    }

    static func key(_ hex: String) throws -> ConversationKey {
        try ConversationKey(bytes: Hex.decode(hex))
    }

    static func nonce(_ hex: String) throws -> RandomSource {
        let bytes = try Hex.decode(hex)
        return RandomSource { $0.copyBytes(from: bytes) }
    }

    @Test func conversationKeysAreTheStatedOnes() throws {
        #expect(valid.get_conversation_key.count == 35)
        for row in valid.get_conversation_key {
            let key = ConversationKey(try SecretKey(hex: row.sec1), try PublicKey(hex: row.pub2))
            key.withUnsafeBytes { #expect(Hex.encode($0) == row.conversation_key) }
        }
    }

    @Test func messageKeysAreTheStatedOnes() throws {
        let key = try Self.key(valid.get_message_keys.conversation_key)
        #expect(valid.get_message_keys.keys.count == 32)
        for row in valid.get_message_keys.keys {
            var keys = NIP44.MessageKeys()
            var scratch = HMACScratch()
            key.expand(nonce: try Bytes32(hex: row.nonce), into: &keys, &scratch)
            withUnsafeBytes(of: &keys) {
                #expect(Hex.encode([UInt8]($0.prefix(76))) == row.chacha_key + row.chacha_nonce + row.hmac_key)
            }
        }
    }

    @Test func paddedLengthsAreTheStatedOnes() {
        #expect(valid.calc_padded_len.count == 24)
        for row in valid.calc_padded_len {
            #expect(NIP44.paddedLength(row[0]) == row[1])
        }
    }

    @Test func messagesGoBothWays() throws {
        #expect(valid.encrypt_decrypt.count == 10)
        for row in valid.encrypt_decrypt {
            let (first, second) = (KeyPair(try SecretKey(hex: row.sec1)), KeyPair(try SecretKey(hex: row.sec2)))
            let sending = ConversationKey(first.secretKey, second.publicKey)
            sending.withUnsafeBytes { #expect(Hex.encode($0) == row.conversation_key) }
            #expect(try NIP44.encrypt(row.plaintext, with: sending, random: try Self.nonce(row.nonce)) == row.payload)
            let receiving = ConversationKey(second.secretKey, first.publicKey)
            #expect(receiving == sending)
            #expect(try NIP44.decrypt(row.payload, with: receiving) == row.plaintext)
        }
    }

    @Test func longMessagesGoBothWays() throws {
        #expect(valid.encrypt_decrypt_long_msg.count == 3)
        for row in valid.encrypt_decrypt_long_msg {
            let key = try Self.key(row.conversation_key)
            let text = String(repeating: row.pattern, count: row.repeat)
            #expect(SHA256.hash(text).hex == row.plaintext_sha256)
            let payload = try NIP44.encrypt(text, with: key, random: try Self.nonce(row.nonce))
            #expect(SHA256.hash(payload).hex == row.payload_sha256)
            #expect(try NIP44.decrypt(payload, with: key) == text)
        }
    }

    /// The file is older than the extended lengths: of its refused lengths only those stay refused by default that are
    /// nothing or beyond the ceiling, and all of them where extended lengths are off.
    @Test func statedLengthsAreRefused() throws {
        let key = try Self.key(valid.get_message_keys.conversation_key)
        let refused = invalid.encrypt_msg_lengths.filter { count in
            (try? NIP44.encrypt([UInt8](repeating: 0x61, count: count), with: key)) == nil
        }
        #expect(refused == [0, 10_000_000])
        let limits = NIP44.Limits(allowsExtendedLength: false)
        for count in invalid.encrypt_msg_lengths {
            #expect(throws: CryptoError.self) {
                try NIP44.encrypt([UInt8](repeating: 0x61, count: count), with: key, limits: limits)
            }
        }
        #expect(try NIP44.encrypt("a", with: key, limits: limits).utf8.count == 132)
    }

    @Test func keysThatAreNoneAreRefused() {
        #expect(invalid.get_conversation_key.count == 8)
        for row in invalid.get_conversation_key {
            let isRefused =
                (try? SecretKey(hex: row.sec1)) == nil || (try? PublicKey(hex: row.pub2)) == nil
            #expect(isRefused, "\(row.note)")
        }
    }

    @Test func payloadsThatAreNoneAreRefusedForTheStatedReason() throws {
        #expect(invalid.decrypt.count == 12)
        for row in invalid.decrypt {
            let expected: NIP44.Problem? =
                switch row.note.prefix(while: { $0 != ":" }) {
                case "unknown encryption version": .unsupportedVersion(nil)
                case "unknown encryption version 0": .unsupportedVersion(0)
                case "invalid base64": .notBase64
                case "invalid MAC": .wrongMAC
                case "invalid padding": .wrongPadding
                case "invalid payload length": .payloadTooShort
                default: nil
                }
            let reason = try #require(expected)
            #expect(throws: CryptoError.nip44(reason), "\(row.note)") {
                try NIP44.decrypt(row.payload, with: try Self.key(row.conversation_key))
            }
        }
    }
}

/// The table under "Extended length prefix test vectors" in the text of NIP-44.
@Suite("NIP-44 at the boundary of the extended length prefix")
struct NIP44ExtendedLengthTests {
    @Test(arguments: [
        (
            65_535, 65_536, "6e1bebca6a8229364a162a72ef064826c4cd7457bf54f190ef782bd9deff3e42",
            "6d8c2810d1e870fbaa1f0a0937126cca837a15f9260e27060c331d70a3c0bc84"
        ),
        (
            65_536, 65_536, "bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a",
            "b7b4edb36ba92e267d322d56d9aebc22e7fa96ff52e3c12adc07f07a43cbc616"
        ),
        (
            65_537, 81_920, "008ffc88d3c96a9f307524eb361e47c5222a887fc45fa0c1fb8d429c5c23b430",
            "eeb7c7c5373894ea2c1547cfd3ccb15d5a0b2d619da852e5c79df792dcc9e435"
        ),
    ])
    func thePayloadIsTheOneInTheText(count: Int, padded: Int, plaintextDigest: String, payloadDigest: String) throws {
        let key = try NIP44VectorTests.key("c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d")
        let random = try NIP44VectorTests.nonce("0000000000000000000000000000000000000000000000000000000000000001")
        let text = String(repeating: "a", count: count)
        #expect(SHA256.hash(text).hex == plaintextDigest)
        #expect(NIP44.paddedLength(count) == padded)
        let payload = try NIP44.encrypt(text, with: key, random: random)
        #expect(SHA256.hash(payload).hex == payloadDigest)
        #expect(try NIP44.decrypt(payload, with: key) == text)
    }
}

import NostrCrypto
import TestSupport
import Testing

/// `Cases/nip44.json`.
@Suite("NIP-44 against the table of a peer")
struct NIP44CaseTests {
    struct Table: Decodable {
        struct Keys: Decodable {
            let secret, `public`, conversation: String
        }
        struct Message: Decodable {
            let nonce, plaintext, payload: String
        }
        struct LongMessage: Decodable {
            let nonce, payloadDigest: String
            let count: Int
        }
        struct Invalid: Decodable {
            let problem, payload: String
        }
        let keys: Keys
        let messages: [Message]
        let longMessages: [LongMessage]
        let invalid: [Invalid]
    }

    let table: Table
    let key: ConversationKey

    init() throws {
        table = try Cases.table("nip44", of: "NostrCrypto")
        key = ConversationKey(try SecretKey(hex: table.keys.secret), try PublicKey(hex: table.keys.public))
    }

    @Test func theConversationKeyIsTheStatedOne() {
        key.withUnsafeBytes { #expect(Hex.encode($0) == table.keys.conversation) }
    }

    @Test func payloadsAreTheStatedOnes() throws {
        #expect(table.messages.count == 17 && table.longMessages.count == 7)
        for row in table.messages {
            let nonce = try Hex.decode(row.nonce)
            let random = RandomSource { $0.copyBytes(from: nonce) }
            #expect(try NIP44.encrypt(row.plaintext, with: key, random: random) == row.payload)
            #expect(try NIP44.decrypt(row.payload, with: key) == row.plaintext)
        }
        for row in table.longMessages {
            let nonce = try Hex.decode(row.nonce)
            let text = String(repeating: "a", count: row.count)
            let payload = try NIP44.encrypt(text, with: key, random: RandomSource { $0.copyBytes(from: nonce) })
            #expect(SHA256.hash(payload).hex == row.payloadDigest)
            #expect(try NIP44.decrypt(payload, with: key) == text)
        }
    }

    @Test func whatIsWrongIsRefusedForTheStatedReason() throws {
        #expect(Set(table.invalid.map(\.problem)).count == 6)
        for row in table.invalid {
            let error = #expect(throws: CryptoError.self) { try NIP44.decrypt(row.payload, with: key) }
            let expected: [NIP44.Problem] =
                switch row.problem {
                case "unsupportedVersion": [0, 1, 3, 255, nil].map { .unsupportedVersion($0) }
                case "payloadTooShort": [.payloadTooShort]
                case "notBase64": [.notBase64]
                case "wrongMAC": [.wrongMAC]
                case "wrongPadding": [.wrongPadding]
                case "plaintextNotUTF8": [.plaintextNotUTF8]
                default: []
                }
            #expect(expected.contains { error == .nip44($0) }, "\(row.problem): \(String(describing: error))")
        }
    }
}

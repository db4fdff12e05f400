import Locking
import NostrCrypto
import TestSupport
import Testing

/// `Cases/keys.json`, `schnorr.json` and `ecdh.json`.
struct KeysTable: Decodable {
    struct Valid: Decodable {
        let secret: String
        let `public`: String
        let nsec: String
        let npub: String
    }
    let valid: [Valid]
    let notSecret: [String]
    let notPublic: [String]
}

struct SchnorrTable: Decodable {
    struct Signing: Decodable {
        let secret: String
        let auxiliary: String
        let message: String
        let signature: String
    }
    struct Verifying: Decodable {
        let what: String
        let `public`: String
        let message: String
        let signature: String
        let isValid: Bool
    }
    let signing: [Signing]
    let verifying: [Verifying]
}

struct ECDHRow: Decodable {
    let secret: String
    let `public`: String
    let sharedX: String
}

@Suite("Keys and signatures")
struct KeysTests {
    @Test func publicKeysAndTheirTextsAreThoseOfAPeer() throws {
        let table = try Cases.table("keys", of: "NostrCrypto", as: KeysTable.self)
        #expect(table.valid.count == 13)
        for row in table.valid {
            let key = try SecretKey(hex: row.secret)
            #expect(key.publicKey.hex == row.public)
            #expect(try PublicKey(hex: row.public) == key.publicKey)
            #expect(try Bech32.encode(hrp: "npub", data: key.publicKey.bytes.array) == row.npub)
            #expect(try key.withUnsafeBytes { try Bech32.encode(hrp: "nsec", data: $0) } == row.nsec)
        }
    }

    @Test func numbersOutsideTheOrderAreNoSecretKeys() throws {
        let table = try Cases.table("keys", of: "NostrCrypto", as: KeysTable.self)
        #expect(table.notSecret.count == 5)
        for hex in table.notSecret {
            #expect(throws: CryptoError.invalidSecretKey) { try SecretKey(hex: hex) }
            #expect(throws: CryptoError.invalidSecretKey) { try SecretKey(bytes: Hex.decode(hex)) }
        }
        // The largest and the smallest that are, for comparison.
        #expect(table.valid.contains { $0.secret.hasSuffix("d0364140") })
        #expect(table.valid.contains { $0.secret == String(repeating: "0", count: 63) + "1" })
    }

    @Test func coordinatesWithoutAPointAreNoPublicKeys() throws {
        let table = try Cases.table("keys", of: "NostrCrypto", as: KeysTable.self)
        #expect(table.notPublic.count >= 10)
        for hex in table.notPublic {
            #expect(throws: CryptoError.invalidPublicKey) { try PublicKey(hex: hex) }
        }
    }

    @Test(arguments: [0, 31, 33])
    func aSecretKeyHas32Bytes(count: Int) {
        #expect(throws: CryptoError.invalidLength(expected: 32, actual: count)) {
            try SecretKey(bytes: [UInt8](repeating: 1, count: count))
        }
    }

    @Test(arguments: [0, 63, 65])
    func aSignatureHas64Bytes(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        let error = CryptoError.invalidLength(expected: 64, actual: count)
        #expect(throws: error) { try Signature(bytes) }
        #expect(throws: error) { try Signature(bytes.span.bytes) }
        #expect(throws: error) { try Signature(hex: Hex.encode(bytes)) }
        let whole = Array(SecureRandom.bytes(64))
        let signature = try Signature(whole)
        #expect(signature.array == whole)
        #expect(try Signature(whole.span.bytes) == signature)
        #expect(try Signature(hex: signature.hex) == signature)
        #expect(signature.r.array + signature.s.array == whole)
        #expect(throws: CryptoError.invalidHex) { try Signature(hex: String(repeating: "A", count: 128)) }
    }

    @Test func signaturesAreThoseOfAPeer() throws {
        let table = try Cases.table("schnorr", of: "NostrCrypto", as: SchnorrTable.self)
        #expect(table.signing.count == 12)
        for row in table.signing {
            let pair = KeyPair(try SecretKey(hex: row.secret))
            let auxiliary = try Bytes32(hex: row.auxiliary)
            #expect(try pair.sign(Bytes32(hex: row.message), auxiliary: auxiliary).hex == row.signature)
        }
    }

    @Test func verdictsAreThoseOfAPeer() throws {
        let table = try Cases.table("schnorr", of: "NostrCrypto", as: SchnorrTable.self)
        #expect(table.verifying.count == 28)
        for row in table.verifying {
            let signature = try Signature(hex: row.signature)
            let message = try Hex.decode(row.message)
            let verdict = (try? PublicKey(hex: row.public))?.verify(signature, message: message) ?? false
            #expect(verdict == row.isValid, "\(row.what)")
        }
    }

    @Test func sharedSecretsAreThoseOfAnotherLibrary() throws {
        let rows = try Cases.table("ecdh", of: "NostrCrypto", as: [ECDHRow].self)
        #expect(rows.count == 16)
        for row in rows {
            let shared = try SecretKey(hex: row.secret).sharedX(with: PublicKey(hex: row.public))
            #expect(shared.withUnsafeBytes { Hex.encode($0) } == row.sharedX)
        }
    }

    @Test func bothSidesShareTheSameSecret() {
        let (alice, bob) = (KeyPair.generate(), KeyPair.generate())
        let shared = alice.secretKey.sharedX(with: bob.publicKey)
        #expect(shared == bob.secretKey.sharedX(with: alice.publicKey))
        #expect(shared != alice.secretKey.sharedX(with: alice.publicKey))
    }

    @Test func randomnessIsTheCallers() throws {
        let counting = RandomSource { buffer in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index + 1) }
        }
        let key = SecretKey.generate(random: counting)
        let pair = KeyPair.generate(random: counting)
        #expect(key == pair.secretKey)
        #expect(try key == SecretKey(bytes: 1...32))
        let digest = try Bytes32(1...32)
        #expect(try pair.sign(digest, random: counting) == pair.sign(digest, auxiliary: Bytes32(1...32)))
        #expect(pair.sign(digest) != pair.sign(digest))
    }

    @Test func aDrawThatIsNoKeyIsDrawnAgain() throws {
        let draws = Draws()
        let key = SecretKey.generate(random: RandomSource { draws.fill($0) })
        #expect(try key == SecretKey(bytes: [UInt8](repeating: 3, count: 32)))
    }

    @Test func randomBytesDiffer() {
        #expect(SecureRandom.bytes32() != SecureRandom.bytes32())
        // More than one call of the system gives at once.
        let bytes = SecureRandom.bytes(1000)
        #expect(bytes.count == 1000)
        #expect(bytes.suffix(200) != [UInt8](repeating: 0, count: 200)[...])
        #expect(SecureRandom.bytes(0) == [])
    }

    @Test func anythingThatChangesMakesASignatureInvalid() throws {
        let pair = KeyPair.generate()
        let digest = SecureRandom.bytes32()
        let signature = pair.sign(digest)
        #expect(pair.publicKey.verify(signature, digest: digest))
        var wrong: [Int] = []
        for bit in 0..<512 {
            var bytes = signature.array
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            if pair.publicKey.verify(try Signature(bytes), digest: digest) { wrong.append(bit) }
        }
        #expect(wrong == [])
    }
}

/// Gives zeros, then bytes above the order, then threes.
private final class Draws: Sendable {
    private let left: Locked<[UInt8]> = Locked([3, 0xff, 0])

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let byte = left.withLock { $0.popLast() ?? 3 }
        for index in buffer.indices { buffer[index] = byte }
    }
}

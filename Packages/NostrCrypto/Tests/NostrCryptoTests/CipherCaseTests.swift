import NostrCrypto
import TestSupport
import Testing

/// `Cases/hashes.json`, `ciphers.json` and `scrypt.json`.
@Suite("Hashes and ciphers against the tables of peers")
struct CipherCaseTests {
    struct Hashes: Decodable {
        struct Digest: Decodable {
            let message, digest: String
        }
        struct Code: Decodable {
            let key, message, code: String
        }
        struct Derived: Decodable {
            let material, salt, info, extracted, outputDigest: String
            let count: Int
        }
        let digests: [Digest]
        let codes: [Code]
        let derived: [Derived]
    }

    struct Ciphers: Decodable {
        struct Stream: Decodable {
            let key, plaintext, nonce, ciphertext: String
            let counter: UInt32
        }
        struct Sealed: Decodable {
            let key, plaintext, nonce, context, sealed: String
        }
        let chaCha20: [Stream]
        let aesGCM: [Sealed]
        let xChaCha20Poly1305: [Sealed]
    }

    struct ScryptRow: Decodable {
        let password, salt, key: String
        let logN, r, p: Int
    }

    @Test func digestsCodesAndDerivedKeysAreTheStatedOnes() throws {
        let table = try Cases.table("hashes", of: "NostrCrypto", as: Hashes.self)
        #expect(table.digests.count == 17 && table.codes.count == 17 && table.derived.count == 17)
        for row in table.digests {
            #expect(SHA256.hash(try Hex.decode(row.message)).hex == row.digest)
        }
        for row in table.codes {
            #expect(HMACSHA256(key: try Hex.decode(row.key)).code(for: try Hex.decode(row.message)).hex == row.code)
        }
        for row in table.derived {
            let extracted = HKDF.extract(inputKeyMaterial: try Hex.decode(row.material), salt: try Hex.decode(row.salt))
            #expect(extracted.hex == row.extracted)
            let output = try HKDF.expand(
                pseudorandomKey: extracted.array,
                info: try Hex.decode(row.info),
                count: row.count
            )
            #expect(SHA256.hash(output).hex == row.outputDigest)
        }
    }

    @Test func ciphertextsAreTheStatedOnes() throws {
        let table = try Cases.table("ciphers", of: "NostrCrypto", as: Ciphers.self)
        #expect(table.chaCha20.count == 16 && table.aesGCM.count == 16 && table.xChaCha20Poly1305.count == 16)
        for row in table.chaCha20 {
            let ciphertext = try ChaCha20.apply(
                to: try Hex.decode(row.plaintext),
                key: try Hex.decode(row.key),
                nonce: try Hex.decode(row.nonce),
                counter: row.counter
            )
            #expect(Hex.encode(ciphertext) == row.ciphertext)
        }
        for row in table.aesGCM {
            let (key, nonce) = (try Hex.decode(row.key), try Hex.decode(row.nonce))
            let (plaintext, context) = (try Hex.decode(row.plaintext), try Hex.decode(row.context))
            let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: context)
            #expect(Hex.encode(sealed) == row.sealed)
            #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: context) == plaintext)
        }
        for row in table.xChaCha20Poly1305 {
            let (key, nonce) = (try Hex.decode(row.key), try Hex.decode(row.nonce))
            let (plaintext, context) = (try Hex.decode(row.plaintext), try Hex.decode(row.context))
            let sealed = try XChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: context)
            #expect(Hex.encode(sealed) == row.sealed)
            #expect(try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: context) == plaintext)
        }
    }

    @Test func scryptKeysAreTheStatedOnes() throws {
        let rows = try Cases.table("scrypt", of: "NostrCrypto", as: [ScryptRow].self)
        #expect(rows.count == 6)
        for row in rows {
            let key = try Scrypt.derive(
                password: try Hex.decode(row.password),
                salt: try Hex.decode(row.salt),
                logN: row.logN,
                blockSize: row.r,
                parallelism: row.p,
                count: row.key.count / 2,
                memoryCeiling: 16 << 20
            )
            key.withUnsafeBytes { #expect(Hex.encode($0) == row.key) }
        }
    }
}

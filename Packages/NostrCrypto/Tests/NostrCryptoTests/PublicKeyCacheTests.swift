import Testing

@testable import NostrCrypto

@Suite("Cache of public keys")
struct PublicKeyCacheTests {
    @Test func cachedKeysVerifyLikeParsedOnes() throws {
        let pair = KeyPair.generate()
        let digest = SecureRandom.bytes32()
        let signature = pair.sign(digest)
        let cache = PublicKeyCache()
        for _ in 0..<3 {
            let key = try cache.key(for: pair.publicKey.bytes)
            #expect(key.verify(signature, digest: digest))
            #expect(!key.verify(signature, digest: .zero))
        }
        #expect(cache.count == 1)
    }

    @Test func whatIsNoKeyIsRefusedEachTimeAndNotKept() throws {
        let cache = PublicKeyCache()
        for _ in 0..<2 {
            #expect(throws: CryptoError.invalidPublicKey) { try cache.key(for: .zero) }
        }
        #expect(cache.count == 0)
    }

    @Test(arguments: [-1, 0, 1, 2, 5])
    func theCapacityIsNeverExceeded(capacity: Int) throws {
        let cache = PublicKeyCache(capacity: capacity)
        #expect(cache.capacity == max(1, capacity))
        let keys = (0..<20).map { _ in SecretKey.generate().publicKey }
        for _ in 0..<3 {
            for key in keys {
                #expect(try cache.key(for: key.bytes) == key)
            }
        }
        #expect(cache.count == max(1, capacity))
    }

    @Test func keysThatCameAgainOutliveThoseThatDidNot() throws {
        let cache = PublicKeyCache(capacity: 4)
        let keys = (0..<6).map { _ in SecretKey.generate().publicKey.bytes }
        for x in keys[..<4] { _ = try cache.key(for: x) }
        _ = try cache.key(for: keys[0])
        _ = try cache.key(for: keys[2])
        for x in keys[4...] { _ = try cache.key(for: x) }
        #expect(keys.map(cache.holds) == [true, false, true, false, true, true])
    }
}

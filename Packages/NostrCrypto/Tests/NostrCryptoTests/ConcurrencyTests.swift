import NostrCrypto
import Testing

@Suite("Many tasks at once")
struct ConcurrencyTests {
    @Test func signaturesAndSecretsComeOutRightInEveryTask() async throws {
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<24 {
                group.addTask {
                    let pair = KeyPair.generate()
                    let other = KeyPair.generate()
                    var wrong = 0
                    for round in 0..<10 {
                        let digest = try Bytes32([UInt8](repeating: UInt8(task * 10 + round), count: 32))
                        let signature = pair.sign(digest)
                        if !pair.publicKey.verify(signature, digest: digest) { wrong += 1 }
                        if other.publicKey.verify(signature, digest: digest) { wrong += 1 }
                        if pair.secretKey.sharedX(with: other.publicKey)
                            != other.secretKey.sharedX(with: pair.publicKey)
                        {
                            wrong += 1
                        }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func oneCacheServesAllTasksAndStaysBounded() async throws {
        let keys = (0..<40).map { _ in SecretKey.generate().publicKey }
        let cache = PublicKeyCache(capacity: 16)
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<400 {
                        let key = keys[(task * 7 + round * (round % 3 + 1)) % keys.count]
                        if try cache.key(for: key.bytes) != key || cache.count > 16 { wrong += 1 }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(cache.count == 16)
    }

    /// The thread sanitiser once saw two tasks write to the empty array that all share.
    @Test func emptyResultsComeOutRightInEveryTask() async throws {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 12)
        let sealed = try AESGCM.seal([], key: key, nonce: nonce)
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for _ in 0..<50 {
                        let opened = try AESGCM.open(sealed, key: key, nonce: nonce)
                        let results = [SecureRandom.bytes(0), try Hex.decode(""), try Base64.decode(""), opened]
                        wrong += results.count { !$0.isEmpty }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}

import Foundation
@testable import NostrCrypto
import TestSupport
import Testing

@Suite("Ciphers")
struct CipherTests {
    /// RFC 8439 section 2.4.2.
    @Test func chaCha20GivesTheRFCsCiphertext() throws {
        let key = (0..<32).map { UInt8($0) }
        let nonce = try Hex.decode("000000000000004a00000000")
        let text = """
            Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
            """
        let ciphertext = try ChaCha20.apply(to: Array(text.utf8), key: key, nonce: nonce, counter: 1)
        #expect(
            Hex.encode(ciphertext)
                == "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
                + "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                + "5af90bbf74a35be6b40b8eedf2785e42874d"
        )
        #expect(try ChaCha20.apply(to: ciphertext, key: key, nonce: nonce, counter: 1) == Array(text.utf8))
    }

    @Test func keysAndNoncesOfAnotherLengthAreRefused() throws {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 12)
        #expect(try ChaCha20.apply(to: [1], key: key, nonce: nonce).count == 1)
        #expect(try AESGCM.seal([1], key: key, nonce: nonce).count == 17)
        #expect(try XChaCha20Poly1305.seal([1], key: key, nonce: nonce + nonce).count == 17)
        for short in [[], Array(key.dropLast()), key + [1]] {
            let error = CryptoError.invalidLength(expected: 32, actual: short.count)
            #expect(throws: error) { try ChaCha20.apply(to: [1], key: short, nonce: nonce) }
            #expect(throws: error) { try AESGCM.seal([1], key: short, nonce: nonce) }
            #expect(throws: error) { try XChaCha20Poly1305.seal([1], key: short, nonce: nonce + nonce) }
        }
        for odd in [[], Array(nonce.dropLast()), nonce + [1]] {
            let error = CryptoError.invalidLength(expected: 12, actual: odd.count)
            #expect(throws: error) { try ChaCha20.apply(to: [1], key: key, nonce: odd) }
            #expect(throws: error) { try AESGCM.open([UInt8](repeating: 0, count: 17), key: key, nonce: odd) }
            #expect(throws: CryptoError.invalidLength(expected: 24, actual: odd.count)) {
                try XChaCha20Poly1305.open([UInt8](repeating: 0, count: 17), key: key, nonce: odd)
            }
        }
    }

    /// Test case 16 of the GCM specification (McGrew and Viega): AES-256 with associated data.
    @Test func aesGCMGivesTheSpecificationsCiphertext() throws {
        let key = try Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let nonce = try Hex.decode("cafebabefacedbaddecaf888")
        let context = try Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let plaintext = try Hex.decode(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39"
        )
        let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: context)
        #expect(
            Hex.encode(sealed)
                == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        )
        #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: context) == plaintext)
    }

    @Test(arguments: ["AES-256-GCM", "XChaCha20-Poly1305"])
    func anyChangeOfASealedValueIsRefused(name: String) throws {
        let key = SecureRandom.bytes(32)
        let nonce = SecureRandom.bytes(name == "AES-256-GCM" ? 12 : 24)
        let plaintext = Array("row 17".utf8)
        let context = Array("table.column".utf8)
        func open(_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ context: [UInt8]) throws(CryptoError)
            -> [UInt8]
        {
            name == "AES-256-GCM"
                ? try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: context)
                : try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: context)
        }
        let sealed =
            name == "AES-256-GCM"
            ? try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: context)
            : try XChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: context)
        #expect(try open(sealed, key, nonce, context) == plaintext)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x40
            #expect(throws: CryptoError.authenticationFailed) { try open(changed, key, nonce, context) }
        }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.authenticationFailed) {
                try open(Array(sealed.prefix(count)), key, nonce, context)
            }
        }
        var other = key
        other[31] ^= 1
        #expect(throws: CryptoError.authenticationFailed) { try open(sealed, other, nonce, context) }
        other = nonce
        other[0] ^= 1
        #expect(throws: CryptoError.authenticationFailed) { try open(sealed, key, other, context) }
        #expect(throws: CryptoError.authenticationFailed) { try open(sealed, key, nonce, context + [0]) }
        #expect(throws: CryptoError.authenticationFailed) { try open(sealed, key, nonce, []) }
    }

    @Test func emptyPlaintextIsSealedToATagAlone() throws {
        let key = SecureRandom.bytes(32)
        let nonce = SecureRandom.bytes(12)
        let sealed = try AESGCM.seal([], key: key, nonce: nonce)
        #expect(sealed.count == AESGCM.tagCount)
        #expect(try AESGCM.open(sealed, key: key, nonce: nonce) == [])
    }

    /// draft-irtf-cfrg-xchacha-03, section 2.2.1.
    @Test func hChaCha20GivesTheDraftsSubkey() throws {
        let key = (0..<32).map { UInt8($0) }
        let nonce = try Hex.decode("000000090000004a0000000031415927")
        let subkey = key.withUnsafeBytes { key in
            nonce.withUnsafeBytes { XChaCha20Poly1305.hChaCha20(key: key.baseAddress!, nonce: $0.baseAddress!) }
        }
        withUnsafeBytes(of: subkey) {
            #expect(Hex.encode($0) == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
        }
    }

    @Test func manyThreadsAtOnceGetTheirOwnCiphertext() async throws {
        let key = SecureRandom.bytes(32)
        let plaintext = [UInt8](repeating: 7, count: 5000)
        let nonces = (0..<64).map { [UInt8](repeating: UInt8($0), count: 12) }
        let alone = try nonces.map { try ChaCha20.apply(to: plaintext, key: key, nonce: $0) }
        let together = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (index, nonce) in nonces.enumerated() {
                group.addTask {
                    for _ in 0..<20 { _ = try ChaCha20.apply(to: plaintext, key: key, nonce: nonce) }
                    return (index, try ChaCha20.apply(to: plaintext, key: key, nonce: nonce))
                }
            }
            var results = [[UInt8]](repeating: [], count: nonces.count)
            for try await (index, result) in group { results[index] = result }
            return results
        }
        #expect(together == alone)
    }
}

@Suite(
    "Authenticated ciphers against Wycheproof",
    .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence))
)
struct CipherVectorTests {
    struct AEADTest: Decodable {
        let tcId: Int
        let key, iv, aad, msg, ct, tag, result: String
    }

    @Test func everyChaCha20Poly1305RowIsAnsweredAsStated() throws {
        let cipher = CipherPool.chaCha20Poly1305
        try check("wycheproof_chacha20_poly1305_test.json", rows: 325) { text, key, nonce, context, isSealing in
            try withBytes(text, key, nonce, context) { text, key, nonce, context throws(CryptoError) in
                isSealing
                    ? try cipher.seal(text, key: key, nonce: nonce, authenticating: context)
                    : try cipher.open(text, key: key, nonce: nonce, authenticating: context)
            }
        }
    }

    @Test func everyXChaCha20Poly1305RowIsAnsweredAsStated() throws {
        try check("wycheproof_xchacha20_poly1305_test.json", rows: 315) { text, key, nonce, context, isSealing in
            isSealing
                ? try XChaCha20Poly1305.seal(text, key: key, nonce: nonce, authenticating: context)
                : try XChaCha20Poly1305.open(text, key: key, nonce: nonce, authenticating: context)
        }
    }

    /// Valid rows seal to and open from what they state; what invalid rows hold does not open.
    private func check(
        _ file: String,
        rows: Int,
        _ run: ([UInt8], [UInt8], [UInt8], [UInt8], Bool) throws -> [UInt8]
    ) throws {
        var wrong: [Int] = []
        var seen = 0
        for test in try Wycheproof.groups(AEADTest.self, in: file).flatMap(\.tests) {
            let (key, nonce, context) = (try Hex.decode(test.key), try Hex.decode(test.iv), try Hex.decode(test.aad))
            let message = try Hex.decode(test.msg)
            let sealed = try Hex.decode(test.ct) + Hex.decode(test.tag)
            let opened = try? run(sealed, key, nonce, context, false)
            let isRight =
                test.result == "valid"
                ? opened == message && (try? run(message, key, nonce, context, true)) == sealed
                : opened == nil
            seen += 1
            if !isRight { wrong.append(test.tcId) }
        }
        #expect(wrong == [])
        #expect(seen == rows)
    }
}

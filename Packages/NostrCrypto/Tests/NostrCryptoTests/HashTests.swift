import Foundation
import NostrCrypto
import TestSupport
import Testing

@Suite("SHA-256, HMAC and HKDF")
struct HashTests {
    /// Answers of FIPS 180-4's examples and of Python's hashlib.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func aDigestIsTheOneInTheStandard(text: String, digest: String) {
        #expect(SHA256.hash(text).hex == digest)
        #expect(SHA256.hash(Array(text.utf8)).hex == digest)
    }

    @Test func aStreamGivesTheSameDigestWhereverItIsCut() {
        let bytes = (0..<200).map { UInt8($0) }
        let whole = SHA256.hash(bytes)
        let wrong = (0...bytes.count).filter { cut in
            var stream = SHA256()
            stream.update(Array(bytes[..<cut]))
            // Asking for the digest on the way changes nothing.
            _ = stream.finalize()
            bytes[cut...].withUnsafeBytes { stream.update($0) }
            return stream.finalize() != whole
        }
        #expect(wrong == [])
    }

    /// RFC 4231, cases 1, 2 and 6 (a key longer than a block).
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func aCodeIsTheOneInTheRFC(key: [UInt8], message: String, code: String) throws {
        let hmac = HMACSHA256(key: key)
        #expect(hmac.code(for: Array(message.utf8)).hex == code)
        // The prepared key is not used up.
        #expect(hmac.isValid(try Bytes32(hex: code), for: Array(message.utf8)))
        #expect(!hmac.isValid(try Bytes32(hex: code), for: Array(message.utf8) + [0]))
    }

    @Test func thePadsOfAKeyAreNotShown() {
        let hmac = HMACSHA256(key: Array("Jefe".utf8))
        var shown = ""
        dump(hmac, to: &shown)
        #expect(shown.contains("redacted"))
    }

    @Test func aLengthThatHKDFCannotGiveIsRefused() throws {
        let key = [UInt8](repeating: 1, count: 32)
        #expect(try HKDF.expand(pseudorandomKey: key, info: [], count: HKDF.maximumOutput).count == 8160)
        for count in [Int.min, 0, 8161, Int.max] {
            #expect(throws: CryptoError.invalidOutputLength(count)) {
                try HKDF.expand(pseudorandomKey: key, info: [], count: count)
            }
        }
    }
}

@Suite(
    "SHA-256 constructions against Wycheproof",
    .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence))
)
struct HashVectorTests {
    struct MACTest: Decodable {
        let tcId: Int
        let key, msg, tag, result: String
    }

    struct HKDFTest: Decodable {
        let tcId: Int
        let ikm, salt, info, okm, result: String
        let size: Int
    }

    @Test func everyHMACRowIsAnsweredAsStated() throws {
        let groups = try Wycheproof.groups(MACTest.self, in: "wycheproof_hmac_sha256_test.json")
        var wrong: [Int] = []
        var seen = 0
        for group in groups {
            for test in group.tests {
                let code = HMACSHA256(key: try Hex.decode(test.key)).code(for: try Hex.decode(test.msg)).array
                let tag = try Hex.decode(test.tag)
                seen += 1
                if (Array(code.prefix(tag.count)) == tag) != (test.result == "valid") { wrong.append(test.tcId) }
            }
        }
        #expect(wrong == [])
        #expect(seen == 174)
    }

    @Test func everyHKDFRowIsAnsweredAsStated() throws {
        let groups = try Wycheproof.groups(HKDFTest.self, in: "wycheproof_hkdf_sha256_test.json")
        var wrong: [Int] = []
        var seen = 0
        for test in groups.flatMap(\.tests) {
            let key = HKDF.extract(inputKeyMaterial: try Hex.decode(test.ikm), salt: try Hex.decode(test.salt))
            let output = try? HKDF.expand(pseudorandomKey: key.array, info: try Hex.decode(test.info), count: test.size)
            let isRight = test.result == "valid" ? output == (try Hex.decode(test.okm)) : output == nil
            seen += 1
            if !isRight { wrong.append(test.tcId) }
        }
        #expect(wrong == [])
        #expect(seen == 86)
    }
}

/// The shape that Wycheproof files share.
enum Wycheproof {
    private struct File<Test: Decodable>: Decodable {
        let testGroups: [Group<Test>]
    }

    struct Group<Test: Decodable>: Decodable {
        let tests: [Test]
    }

    static func groups<Test: Decodable>(_ type: Test.Type, in file: String) throws -> [Group<Test>] {
        try JSONDecoder().decode(File<Test>.self, from: OutsideVectors.data(file)).testGroups
    }
}

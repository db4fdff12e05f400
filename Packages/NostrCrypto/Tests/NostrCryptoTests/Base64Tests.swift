import Foundation
import NostrCrypto
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func theTextIsTheOneInTheRFC(bytes: String, text: String) throws {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(try Base64.decode(text) == Array(bytes.utf8))
    }

    @Test func everyLengthAgreesWithFoundation() throws {
        var state: UInt64 = 1
        let bytes = (0..<300).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let wrong = try (0...bytes.count).filter { count in
            let part = Array(bytes.prefix(count))
            let text = Base64.encode(part)
            return try text != Data(part).base64EncodedString() || Base64.decode(text) != part
                || text.utf8.count != Base64.encodedCount(count)
        }
        #expect(wrong == [])
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=", "====", "Zg==Zg==", "Zm8=Zm8=", "Z=g=", "Zm9v\n", "Zm9v ", " Zm9v", "Zm-_",
        "Zm9é",
        "Zm\u{0}v", "Zh==", "Zm9=", "Z===", "Zm9vZ===", "Zm9vZ=9v", "=m9v", "Zm9v=m9v",
    ])
    func whatIsNotStrictIsRefused(text: String) {
        #expect(throws: CryptoError.invalidBase64) { try Base64.decode(text) }
    }

    @Test func everyCharacterInEveryPlaceIsAcceptedOnlyFromTheAlphabet() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var wrong: [String] = []
        for place in 0..<8 {
            for byte in UInt8(0)..<0x80 {
                var text = Array("AAAAAAAA".utf8)
                text[place] = byte
                let string = String(decoding: text, as: UTF8.self)
                let isRight = alphabet.contains(byte) || (place == 7 && byte == UInt8(ascii: "="))
                if ((try? Base64.decode(string)) != nil) != isRight { wrong.append(string) }
            }
        }
        #expect(wrong == [])
    }
}

@testable import NostrCrypto
import Testing

@Suite("NIP-44")
struct NIP44Tests {
    let key: ConversationKey

    init() throws {
        key = try ConversationKey(bytes: Hex.decode("c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d"))
    }

    /// A payload with a right MAC around any bytes, made from the primitives alone.
    func payload(around padded: [UInt8], version: UInt8 = 2) throws -> String {
        let nonce = [UInt8](repeating: 0x17, count: 32)
        let keys = try key.withUnsafeBytes {
            try HKDF.expand(pseudorandomKey: [UInt8]($0), info: nonce, count: 76)
        }
        let ciphertext = try ChaCha20.apply(to: padded, key: Array(keys[..<32]), nonce: Array(keys[32..<44]))
        let mac = HMACSHA256(key: Array(keys[44...])).code(for: nonce + ciphertext)
        return Base64.encode([version] + nonce + ciphertext + mac.array)
    }

    /// Length prefix, text and as many zeros as asked for.
    func padded(_ prefix: [UInt8], _ text: [UInt8], zeros: Int) -> [UInt8] {
        prefix + text + [UInt8](repeating: 0, count: zeros)
    }

    @Test func theExampleOfTheREADMEWorks() throws {
        let alice = KeyPair.generate()
        let bob = KeyPair.generate()

        let key = ConversationKey(alice.secretKey, bob.publicKey)
        let payload = try NIP44.encrypt("see you at eight", with: key)

        let text = try NIP44.decrypt(payload, with: ConversationKey(bob.secretKey, alice.publicKey))
        #expect(text == "see you at eight")
    }

    /// Counts up bucket by bucket instead of computing logarithms: from 256 on each power of two is cut into eighths, of
    /// the power above.
    @Test func everyLengthIsPaddedAsTheTextSays() {
        var wrong: [Int] = []
        var bucket = 32
        for count in 1...70_000 {
            if count > bucket {
                var power = 256
                while power <= bucket { power *= 2 }
                bucket += power <= 256 ? 32 : power / 8
            }
            if NIP44.paddedLength(count) != bucket { wrong.append(count) }
        }
        #expect(wrong == [])
    }

    /// From the examples of the official file and the sizes that the text names.
    @Test(arguments: [
        (1, 32), (32, 32), (33, 64), (64, 64), (65, 96), (256, 256), (257, 320), (320, 320), (383, 384), (385, 448),
        (512, 512), (513, 640), (1024, 1024), (1025, 1280), (65_535, 65_536), (65_536, 65_536), (65_537, 81_920),
        (4_294_967_295, 4_294_967_296), (0, 32), (Int.min, 32),
    ])
    func aLengthIsPaddedTo(count: Int, padded: Int) {
        #expect(NIP44.paddedLength(count) == padded)
    }

    @Test func whatIsEncryptedIsDecryptedAtEveryLengthAroundEachBoundary() throws {
        var wrong: [Int] = []
        for boundary in [1, 15, 32, 64, 96, 256, 320, 512, 1024, 4096, 65_535, 65_536, 81_920, 1 << 20] {
            for count in max(1, boundary - 2)...min(boundary + 2, 1 << 20) {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0x20 + $0 % 90) }
                let payload = try NIP44.encrypt(bytes, with: key)
                let fits = payload.utf8.count == Base64.encodedCount(NIP44.contentCount(count))
                let text = try NIP44.decrypt(payload, with: key)
                if try !fits || Array(text.utf8) != bytes || NIP44.decryptBytes(payload, with: key) != bytes {
                    wrong.append(count)
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func twoPayloadsOfOneTextDiffer() throws {
        #expect(try NIP44.encrypt("a", with: key) != NIP44.encrypt("a", with: key))
    }

    @Test func anySingleChangedByteIsRefused() throws {
        let payload = try NIP44.encrypt("the control is accepted", with: key)
        #expect(try NIP44.decrypt(payload, with: key) == "the control is accepted")
        let content = try Base64.decode(payload)
        var wrong: [String] = []
        for index in content.indices {
            for change in [UInt8(0x01), 0x80, 0xff] {
                var changed = content
                changed[index] ^= change
                let expected = index == 0 ? NIP44.Problem.unsupportedVersion(2 ^ change) : .wrongMAC
                do throws(CryptoError) {
                    _ = try NIP44.decrypt(Base64.encode(changed), with: key)
                    wrong.append("\(index): accepted")
                } catch {
                    if error != .nip44(expected) { wrong.append("\(index): \(error)") }
                }
            }
        }
        // And every character of the text, by every other byte.
        let text = Array(payload.utf8)
        for index in text.indices {
            for byte in UInt8(0)..<0x80 where byte != text[index] {
                var changed = text
                changed[index] = byte
                if let plain = try? NIP44.decrypt(String(decoding: changed, as: UTF8.self), with: key) {
                    wrong.append("\(index) \(byte): \(plain)")
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func anotherKeyIsRefused() throws {
        let payload = try NIP44.encrypt("a", with: key)
        var bytes = key.withUnsafeBytes { [UInt8]($0) }
        bytes[31] ^= 1
        let other = try ConversationKey(bytes: bytes)
        #expect(other != key)
        #expect(throws: CryptoError.nip44(.wrongMAC)) { try NIP44.decrypt(payload, with: other) }
    }

    @Test func anyTruncationIsRefused() throws {
        let payload = try NIP44.encrypt("a", with: key)
        let content = try Base64.decode(payload)
        for count in 0..<content.count {
            #expect(throws: CryptoError.nip44(.payloadTooShort)) {
                try NIP44.decrypt(Base64.encode(Array(content[..<count])), with: key)
            }
        }
        #expect(throws: CryptoError.nip44(.notBase64)) { try NIP44.decrypt(payload + "=", with: key) }
        #expect(throws: CryptoError.nip44(.wrongMAC)) { try NIP44.decrypt(payload + "AAAA", with: key) }
    }

    @Test func aRightMACOverTooLittleCiphertextIsRefused() throws {
        for count in 0..<34 {
            let short = try payload(around: [UInt8](repeating: 0, count: count))
            #expect(throws: CryptoError.nip44(.payloadTooShort)) { try NIP44.decrypt(short, with: key) }
            #expect(throws: CryptoError.nip44(.payloadTooShort)) { try NIP44.decryptBytes(short, with: key) }
        }
        let control = try payload(around: padded([0, 1], Array("a".utf8), zeros: 31))
        #expect(try NIP44.decrypt(control, with: key) == "a")
    }

    @Test func aLengthThatDoesNotFitThePaddingIsRefused() throws {
        let text = Array("0123456789".utf8)
        #expect(try NIP44.decrypt(try payload(around: padded([0, 10], text, zeros: 22)), with: key) == "0123456789")
        let wrong: [[UInt8]] = [
            padded([0, 33], text, zeros: 22),  // longer than the padding
            padded([0xff, 0xff], text, zeros: 22),
            padded([0, 10], text, zeros: 23),
            padded([0, 10], text, zeros: 54),  // padded to the next step
            padded([0, 0], text, zeros: 22),  // extended, and then too short to hold its length
            padded([0, 0, 0, 0, 0, 10], text, zeros: 22),  // extended form of a short length
            padded([0, 0, 0, 0, 0, 10], text, zeros: 18),
            padded([0, 0, 0xff, 0xff, 0xff, 0xff], text, zeros: 22),
        ]
        for padded in wrong {
            #expect(throws: CryptoError.nip44(.wrongPadding)) {
                try NIP44.decrypt(try payload(around: padded), with: key)
            }
        }
    }

    @Test func theExtendedFormIsRefusedBelowItsThreshold() throws {
        let text = [UInt8](repeating: 0x61, count: 65_536)
        let control = padded([0, 0, 0, 1, 0, 0], text, zeros: 0)
        #expect(try NIP44.decryptBytes(try payload(around: control), with: key) == text)
        let tooShort = padded([0, 0, 0, 0, 0xff, 0xff], Array(text.dropLast()), zeros: 1)
        #expect(throws: CryptoError.nip44(.wrongPadding)) {
            try NIP44.decryptBytes(try payload(around: tooShort), with: key)
        }
    }

    @Test func withoutExtendedLengthsTheyAreNeitherMadeNorAccepted() throws {
        let limits = NIP44.Limits(allowsExtendedLength: false)
        let longest = String(repeating: "a", count: 65_535)
        let payload = try NIP44.encrypt(longest, with: key, limits: limits)
        #expect(try NIP44.decrypt(payload, with: key, limits: limits) == longest)
        #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 65_535))) {
            try NIP44.encrypt(longest + "a", with: key, limits: limits)
        }
        let extended = try NIP44.encrypt(longest + "a", with: key)
        #expect(try NIP44.decrypt(extended, with: key) == longest + "a")
        #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 65_535))) {
            try NIP44.decrypt(extended, with: key, limits: limits)
        }
    }

    @Test func theCeilingCountsInBothDirections() throws {
        let limits = NIP44.Limits(maximumPlaintextSize: 1000)
        let text = String(repeating: "a", count: 1000)
        let payload = try NIP44.encrypt(text, with: key, limits: limits)
        #expect(try NIP44.decrypt(payload, with: key, limits: limits) == text)
        #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 1000))) {
            try NIP44.encrypt(text + "a", with: key, limits: limits)
        }
        // 1,001 bytes are padded like 1,000, so only the decrypted length shows it; 1,025 show it before any work.
        for count in [1001, 1024, 1025, 5000] {
            let longer = try NIP44.encrypt(String(repeating: "a", count: count), with: key)
            #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 1000))) {
                try NIP44.decrypt(longer, with: key, limits: limits)
            }
        }
        // Not even Base64, but refused for its length first.
        #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 1 << 20))) {
            try NIP44.decrypt(String(repeating: "*", count: 2 << 20), with: key)
        }
        for odd in [0, -1, Int.min] {
            #expect(throws: CryptoError.nip44(.plaintextTooLong(maximum: 0))) {
                try NIP44.encrypt("a", with: key, limits: .init(maximumPlaintextSize: odd))
            }
        }
        #expect(try NIP44.decrypt(payload, with: key, limits: .init(maximumPlaintextSize: .max)) == text)
    }

    @Test func nothingCannotBeEncrypted() throws {
        #expect(throws: CryptoError.nip44(.emptyPlaintext)) { try NIP44.encrypt("", with: key) }
        #expect(throws: CryptoError.nip44(.emptyPlaintext)) { try NIP44.encrypt([UInt8](), with: key) }
    }

    @Test func versionsOtherThanTwoAreNamed() throws {
        let padded = padded([0, 1], Array("a".utf8), zeros: 31)
        for version in UInt8.min...UInt8.max where version != 2 {
            #expect(throws: CryptoError.nip44(.unsupportedVersion(version))) {
                try NIP44.decrypt(try payload(around: padded, version: version), with: key)
            }
        }
        for text in ["#", "#Ag", "#" + String(repeating: "A", count: 200)] {
            #expect(throws: CryptoError.nip44(.unsupportedVersion(nil))) { try NIP44.decrypt(text, with: key) }
        }
        #expect(throws: CryptoError.nip44(.payloadTooShort)) { try NIP44.decrypt("", with: key) }
    }

    @Test(
        arguments: [
            [0xc3, 0x28], [0x80], [0xff], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf],
            [0xe0, 0x80, 0x80],
            [0xf0, 0x8f, 0xbf, 0xbf], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
        ] as [[UInt8]]
    )
    func bytesThatAreNotUTF8AreNoText(bytes: [UInt8]) throws {
        for position in [0, 1, 31, 32, 40] {
            let ascii = [UInt8](repeating: 0x61, count: position)
            for tail in [[], Array("tail".utf8)] {
                let payload = try NIP44.encrypt(ascii + bytes + tail, with: key)
                #expect(throws: CryptoError.nip44(.plaintextNotUTF8)) { try NIP44.decrypt(payload, with: key) }
                #expect(try NIP44.decryptBytes(payload, with: key) == ascii + bytes + tail)
            }
        }
    }

    @Test func everyUnicodeScalarComesBack() throws {
        var text = ""
        for value in UInt32(0)...0x10ffff {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        let limits = NIP44.Limits(maximumPlaintextSize: 8 << 20)
        let payload = try NIP44.encrypt(text, with: key, limits: limits)
        let back = try NIP44.decrypt(payload, with: key, limits: limits)
        #expect(back.utf8.elementsEqual(text.utf8))
    }

    /// The two-byte sequences that begin at every byte, against what the standard library thinks.
    @Test func validationAgreesWithTheStandardLibrary() {
        var wrong: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for tail in [[], [0x80], [0xbf, 0x80]] as [[UInt8]] {
                    let bytes = [first, second] + tail
                    let mine = bytes.withUnsafeBytes { UTF8Validation.isValid($0) }
                    if mine != (String(validating: bytes, as: UTF8.self) != nil) { wrong.append(bytes) }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func aConversationKeyShowsNothing() throws {
        #expect("\(key)" == "ConversationKey(redacted)")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.lowercased().contains("c41c77") && !dumped.contains("196"))
        #expect(throws: CryptoError.invalidLength(expected: 32, actual: 31)) {
            try ConversationKey(bytes: [UInt8](repeating: 1, count: 31))
        }
    }
}

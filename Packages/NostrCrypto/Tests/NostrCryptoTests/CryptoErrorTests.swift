import NostrCrypto
import Testing

@Suite("Errors")
struct CryptoErrorTests {
    @Test func errorsCompareByWhatTheyCarry() {
        #expect(CryptoError.invalidLength(expected: 32, actual: 31) != .invalidLength(expected: 32, actual: 33))
        #expect(CryptoError.invalidBech32(.tooLong(limit: 90)) == .invalidBech32(.tooLong(limit: 90)))
    }

    @Test(arguments: [
        CryptoError.invalidHex, .invalidLength(expected: 32, actual: 31), .invalidSecretKey, .invalidPublicKey,
        .invalidBech32(.tooLong(limit: 90)), .invalidBech32(.noSeparator), .invalidBech32(.invalidPrefix),
        .invalidBech32(.mixedCase), .invalidBech32(.invalidCharacter), .invalidBech32(.tooShort),
        .invalidBech32(.wrongChecksum), .invalidBech32(.invalidPadding), .invalidMnemonic(.wordCount(13)),
        .invalidMnemonic(.unknownWord(position: 4)), .invalidMnemonic(.checksum), .invalidMnemonic(.entropySize(3)),
        .invalidDerivationIndex(.max), .derivationFailed,
        .invalidBase64, .invalidOutputLength(0), .authenticationFailed, .invalidScryptParameter,
        .memoryCeilingExceeded(ceiling: 1), .libraryFailure, .nip44(.unsupportedVersion(nil)),
        .nip44(.unsupportedVersion(1)), .nip44(.payloadTooShort), .nip44(.notBase64), .nip44(.wrongMAC),
        .nip44(.wrongPadding), .nip44(.plaintextNotUTF8), .nip44(.emptyPlaintext),
        .nip44(.plaintextTooLong(maximum: 1)),
        .nip49(.notEncryptedKey), .nip49(.unsupportedVersion(1)), .nip49(.wrongLength), .nip49(.unknownKeySecurity(3)),
        .nip49(.costTooHigh(logN: 30, maximum: 20)), .nip49(.wrongPassphrase),
    ])
    func eachErrorIsOnePlainSentence(error: CryptoError) {
        let text = "\(error)"
        #expect(text.hasSuffix("."))
        #expect(!text.contains("\n"))
        #expect(text.split(separator: " ").count > 3)
        #expect(text.first?.isUppercase == true)
    }
}

import APNs
import Foundation
import Testing

@Suite struct TokenTests {
    private func signer(_ files: Files, keyID: String = "ABCDE12345", teamID: String = "TEAM567890") throws
        -> APNsTokenSigner
    {
        try APNsTokenSigner(
            key: APNsSigningKey(pem: files.read(files.signingKey)),
            keyID: keyID,
            teamID: teamID
        )
    }

    private func part(_ token: String, _ index: Int) throws -> [UInt8] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        var text = parts[index].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return [UInt8](try #require(Data(base64Encoded: text)))
    }

    @Test func aTokenNamesTheKeyTheTeamAndTheTimeAndIsSigned() throws {
        let files = try Files()
        let token = try signer(files).token(at: 1_800_000_000)
        #expect(String(decoding: try part(token, 0), as: UTF8.self) == #"{"alg":"ES256","kid":"ABCDE12345"}"#)
        #expect(String(decoding: try part(token, 1), as: UTF8.self) == #"{"iss":"TEAM567890","iat":1800000000}"#)
        // OpenSSL's program checks the signature, in its own encoding.
        let signature = try part(token, 2)
        #expect(signature.count == 64)
        func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        let numbers = number(signature[..<32]) + number(signature[32...])
        let message = token.split(separator: ".").prefix(2).joined(separator: ".")
        try Data([0x30, UInt8(numbers.count)] + numbers).write(to: URL(fileURLWithPath: files.path + "/signature"))
        try Data(message.utf8).write(to: URL(fileURLWithPath: files.path + "/message"))
        try files.openssl(
            "dgst -sha256 -verify \(files.publicKey) -signature \(files.path)/signature \(files.path)/message"
        )
    }

    @Test func aTokenIsKeptForFortyMinutes() throws {
        let signer = try signer(Files())
        let first = try signer.token(at: 1000)
        #expect(try signer.token(at: 3399) == first)
        let second = try signer.token(at: 3400)
        #expect(second != first)
        // A clock that was set back makes a token that is dated ahead, which Apple refuses.
        #expect(try signer.token(at: 3399) != second)
    }

    @Test func aRefusedTokenIsReplacedAfterTwentyMinutesAtTheEarliest() throws {
        let signer = try signer(Files())
        let first = try signer.token(at: 1000)
        #expect(!signer.refuse(first, at: 2199))
        #expect(try signer.token(at: 2199) == first)
        #expect(signer.refuse(first, at: 2200))
        let second = try signer.token(at: 2200)
        #expect(second != first)
        // Others that used the first one learn that there is another by now, and do not replace that.
        #expect(signer.refuse(first, at: 2201))
        #expect(try signer.token(at: 2201) == second)
    }

    @Test(arguments: ["", "ABCDE1234", "ABCDE123456", "ABCDE-2345", "ABCDE1234é"])
    func anIdentifierIsTenLettersAndDigits(wrong: String) throws {
        let files = try Files()
        #expect(throws: APNsError.invalidIdentifier("key id")) { try signer(files, keyID: wrong) }
        #expect(throws: APNsError.invalidIdentifier("team id")) { try signer(files, teamID: wrong) }
        #expect(throws: Never.self) { try signer(files) }
    }

    @Test func onlyAnUnencryptedPrivateKeyOfP256IsAKey() throws {
        let files = try Files()
        try files.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out \(files.path)/p384")
        try files.openssl("genpkey -algorithm ed25519 -out \(files.path)/ed25519")
        try files.openssl(
            "pkcs8 -topk8 -v2 aes-128-cbc -passout pass:x -in \(files.signingKey) -out \(files.path)/encrypted"
        )
        for name in ["p384", "ed25519", "encrypted", "public.pem", "cert.pem"] {
            let pem = try files.read(files.path + "/" + name)
            #expect(throws: APNsError.self) { try APNsSigningKey(pem: pem) }
        }
        #expect(throws: APNsError.self) { try APNsSigningKey(pem: []) }
        let key = try APNsSigningKey(pem: files.read(files.signingKey))
        #expect("\(key)" == "APNsSigningKey(redacted)")
    }
}

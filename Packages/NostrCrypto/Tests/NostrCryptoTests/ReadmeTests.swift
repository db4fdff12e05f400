import Foundation
import NostrCrypto
import TestSupport
import Testing

@Suite("The example of README.md")
struct ReadmeTests {
    @Test func itDoesWhatItSays() throws {
        let alice = KeyPair.generate()
        let bob = KeyPair(try SecretKey(hex: "0000000000000000000000000000000000000000000000000000000000000003"))
        print(bob.publicKey)  // f9308a01...
        print(bob.secretKey)  // SecretKey(redacted)

        let digest = SHA256.hash("what alice signs")
        let signature = alice.sign(digest)
        let isHers = alice.publicKey.verify(signature, digest: digest)

        let npub = try Bech32.encode(hrp: "npub", data: alice.publicKey.bytes.array)
        let author = try PublicKey(Bytes32(Bech32.decode(npub).data))

        let shared = alice.secretKey.sharedX(with: bob.publicKey)
        let isShared = shared == bob.secretKey.sharedX(with: alice.publicKey)

        let words = try Mnemonic.generate(wordCount: 24)
        let third = try words.secretKey(account: 2)

        let conversation = ConversationKey(alice.secretKey, bob.publicKey)  // keep it: it costs an ECDH
        let payload = try NIP44.encrypt("see you at eight", with: conversation)
        let text = try NIP44.decrypt(payload, with: ConversationKey(bob.secretKey, alice.publicKey))

        let ncryptsec = try NIP49.encrypt(alice.secretKey, passphrase: "correct horse")
        let opened = try NIP49.decrypt(ncryptsec, passphrase: "correct horse")

        #expect("\(bob.publicKey)".hasPrefix("f9308a01"))
        #expect("\(bob.secretKey)" == "SecretKey(redacted)")
        #expect(isHers)
        #expect(author == alice.publicKey)
        #expect(text == "see you at eight")
        #expect(opened.secretKey == alice.secretKey)
        #expect(isShared)
        #expect(try third != words.secretKey())
    }

    @Test func itIsTheOneInTheFile() throws {
        let readme = try String(
            contentsOf: Repository.root.appendingPathComponent("Packages/NostrCrypto/README.md"),
            encoding: .utf8
        )
        let example = readme.components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0]
        }.joined()
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = example.split(separator: "\n").filter { !$0.hasPrefix("import ") }
        #expect(lines.count > 10)
        #expect(lines.filter { !source.contains("        \($0)\n") } == [])
    }
}

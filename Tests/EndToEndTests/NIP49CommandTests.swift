import Foundation
import Testing

@testable import linkstr

@Suite struct NIP49CommandTests {
    @Test func aPassphraseFileDecryptsAPublishedKey() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("passphrase", Published.ncryptsecPassphrase + "\n")
        let result = try LinkstrProcess.run(["key", "decrypt", "--passphrase-file", file, Published.ncryptsec])
        #expect(result.code == 0)
        #expect(result.text == Published.ncryptsecSecret + "\n")
        let wrong = try LinkstrProcess.run([
            "key", "decrypt", "--passphrase-file", folder.file("wrong", "nostr2"), Published.ncryptsec,
        ])
        #expect(wrong.code == 65)
        #expect(wrong.text == "")
    }

    @Test func encryptedKeysAreSecretsWhereverOneIsNeeded() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("passphrase", "ÅΩẛ̣\n")
        let encrypted = try LinkstrProcess.run([
            "key", "encrypt", "--log-n", "4", "--passphrase-file", file, Published.nsec,
        ])
        #expect(encrypted.code == 0)
        let ncryptsec = try #require(encrypted.lines.first)
        #expect(ncryptsec.hasPrefix("ncryptsec1"))
        #expect(
            try LinkstrProcess.run(["key", "public", "--passphrase-file", file, ncryptsec]).lines == [Published.pubkey]
        )
        let signed = try LinkstrProcess.run([
            "event", "new", "--kind", "1", "--sec", ncryptsec, "--passphrase-file", file,
        ])
        #expect(try signed.object()["pubkey"] as? String == Published.pubkey)
    }

    @Test(arguments: ["", "\n", "\nsecond line\n", "\r\n"])
    func aNewPassphraseFromAFileIsNotEmpty(content: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("passphrase", content)
        let result = try LinkstrProcess.run([
            "key", "encrypt", "--log-n", "1", "--passphrase-file", file, Published.nsec,
        ])
        #expect(result.code == 65)
        #expect(result.text == "")
        // Others may have encrypted with an empty one.
        #expect(try LinkstrProcess.run(["key", "from-words", "--passphrase-file", file, Published.words]).code == 0)
    }

    @Test func aPassphraseFileThatIsOpenToOthersIsRefused() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("passphrase", Published.ncryptsecPassphrase, mode: 0o640)
        let result = try LinkstrProcess.run(["key", "decrypt", "--passphrase-file", file, Published.ncryptsec])
        #expect(result.code == 77)
        #expect(result.text == "")
        let piped = try LinkstrProcess.shell(
            #""$0" key decrypt --passphrase-file <(echo nostr) "$1""#,
            Published.ncryptsec
        )
        #expect(piped.lines == [Published.ncryptsecSecret])
    }
}

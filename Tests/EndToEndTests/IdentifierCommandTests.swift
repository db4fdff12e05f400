import Foundation
import Testing

@testable import linkstr

@Suite struct IdentifierCommandTests {
    @Test func publishedTextsAreWritten() throws {
        #expect(try LinkstrProcess.run(["encode", "npub", Published.pubkey]).text == Published.npub + "\n")
        #expect(try LinkstrProcess.run(["encode", "nsec", Published.secret]).text == Published.nsec + "\n")
        let profile = try LinkstrProcess.run([
            "encode", "nprofile", "--relay", "wss://r.x.com", "--relay=wss://djbas.sadkb.com", Published.profileKey,
        ])
        #expect(profile.text == Published.nprofile + "\n")
    }

    @Test func publishedTextsAreRead() throws {
        #expect(
            try LinkstrProcess.run(["decode", Published.npub]).text
                == #"{"type":"npub","pubkey":"\#(Published.pubkey)"}"# + "\n"
        )
        #expect(
            try LinkstrProcess.run(["decode", Published.nsec]).text
                == #"{"type":"nsec","secret":"\#(Published.secret)","pubkey":"\#(Published.pubkey)"}"# + "\n"
        )
        let expected =
            #"{"type":"nprofile","pubkey":"\#(Published.profileKey)","relays":["wss://r.x.com","wss://djbas.sadkb.com"]}"#
        for form in [Published.nprofile, "nostr:" + Published.nprofile, "NOSTR:" + Published.nprofile] {
            #expect(try LinkstrProcess.run(["decode", form]).text == expected + "\n")
        }
    }

    @Test func referencesSurviveARoundTrip() throws {
        let id = Published.profileKey
        let event = try LinkstrProcess.run([
            "encode", "nevent", "--relay", "wss://r.x.com", "--author", Published.npub, "--kind", "30023", "--json", id,
        ]).object()
        #expect(event["type"] as? String == "nevent")
        let decoded = try LinkstrProcess.run(["decode", event["encoded"] as? String ?? ""])
        #expect(
            decoded.text
                == #"{"type":"nevent","id":"\#(id)","relays":["wss://r.x.com"],"author":"\#(Published.pubkey)","#
                + #""kind":30023}"# + "\n"
        )
        let bare = try LinkstrProcess.run(["encode", "nevent", "--uri", id]).lines[0]
        #expect(bare.hasPrefix("nostr:nevent1"))
        #expect(
            try LinkstrProcess.run(["decode", bare]).text
                == #"{"type":"nevent","id":"\#(id)","relays":[],"author":null,"kind":null}"# + "\n"
        )
        let note = try LinkstrProcess.run(["encode", "note", bare]).lines[0]
        #expect(try LinkstrProcess.run(["decode", note]).text == #"{"type":"note","id":"\#(id)"}"# + "\n")
        let address = try LinkstrProcess.run([
            "encode", "naddr", "--kind", "30023", "--author", Published.nprofile, "-d", "a \u{202E}\"b",
        ]).lines[0]
        #expect(
            try LinkstrProcess.run(["decode", address]).text
                == #"{"type":"naddr","identifier":"a \u202e\"b","author":"\#(Published.profileKey)","kind":30023,"relays":[]}"#
                + "\n"
        )
    }

    @Test func streamsGoOnAfterALineThatIsWrong() throws {
        let result = try LinkstrProcess.run(
            "encode npub -",
            input: "\(Published.pubkey)\nnonsense\n\n\(Published.npub)\n"
        )
        #expect(result.code == 65)
        #expect(result.lines == [Published.npub, Published.npub])
        #expect(result.errorText.hasPrefix("linkstr: line 2: "))
        let decoded = try LinkstrProcess.run("decode -", input: "\(Published.npub)\r\nnpub1\n  \(Published.nsec)  \n")
        #expect(decoded.code == 65)
        #expect(decoded.lines.count == 2)
    }

    @Test(arguments: [
        "encode npub nonsense", "encode npub \(Published.pubkey) nonsense", "encode note \(Published.npub)",
        "encode nprofile \(Published.nsec)", "encode nevent xyz", "encode naddr --kind 1 --author nonsense",
        "decode nonsense", "decode nostr:\(Published.nsec)", "decode \(Published.npub)x", "decode \(Published.pubkey)",
        "encode nprofile --relay \(String(repeating: "x", count: 256)) \(Published.pubkey)",
    ])
    func badInputExits65WithNothingOnStandardOutput(line: String) throws {
        let result = try LinkstrProcess.run(line)
        #expect(result.code == 65)
        #expect(result.text == "")
        #expect(result.errorText.hasPrefix("linkstr: "))
        #expect(!result.errorText.contains(Published.nsec))
    }
}

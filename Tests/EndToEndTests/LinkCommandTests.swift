import Foundation
import Testing

/// What a person does with one link.
@Suite("Links", .timeLimit(.minutes(10)))
struct LinkCommandTests {
    @Test(
        "become linkstr links that hold the address alone",
        arguments: [
            (["https://example.com/a%20b?x=1"], "linkstr://open?url=https%3A%2F%2Fexample.com%2Fa%2520b%3Fx%3D1"),
            (["example.com/v", "--save"], "linkstr://save?url=https%3A%2F%2Fexample.com%2Fv"),
            (["example.com", "--note", " for you "], "linkstr://share?url=https%3A%2F%2Fexample.com&note=for%20you"),
        ]
    )
    func shareLinks(arguments: [String], link: String) throws {
        let made = try LinkstrProcess.run(["share-url"] + arguments)
        #expect(made.code == 0 && made.text == link + "\n", "\(made.errorText)")
    }

    @Test("that are opened are described, and those to save refused")
    func openLinks() throws {
        let open = try LinkstrProcess.run(["open-url", "linkstr://open?url=youtu.be%2FdQw4w9WgXcQ"])
        #expect(open.code == 0 && open.text.contains(#""provider":"youtube""#))
        #expect(try LinkstrProcess.run(["open-url", "linkstr://save?url=example.com"]).code == 69)
        #expect(try LinkstrProcess.run(["open-url", "https://example.com"]).code == 65)
        #expect(try LinkstrProcess.run(["share-url", "mailto:a@b"]).code == 65)
        #expect(try LinkstrProcess.run(["share-url", "example.com", "--save", "--note", "x"]).code == 64)
    }

    @Test("of posts are shared by their id, shown in full, opened, and read only then")
    func posts() throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try SharingTests.Person("Ann", relay: relay.url)
        let ben = try SharingTests.Person("Ben", relay: relay.url)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        // What a first restore brings counts as read.
        _ = try ben.output("sync")
        _ = try ben.output("session", "accept", "Films")
        let id = try ann.output("post", "Films", "example.com/a", "--note", "line one\nline two").prefix(64)
        _ = try ben.output("sync")
        #expect(
            try ben.output("share-url", String(id.prefix(8))) == "linkstr://open?url=https%3A%2F%2Fexample.com%2Fa\n"
        )
        #expect(try ben.output("feed", "--unread").contains("example.com/a"))
        _ = try ben.output("react", String(id.prefix(8)), "👀")
        let shown = try ben.output("post", "show", String(id.prefix(8)))
        #expect(
            shown.contains("    line one\n    line two") && shown.contains("👀 \(ben.npub)") && shown.contains(ann.npub)
        )
        #expect(try ben.output("feed", "--unread").isEmpty)
        #expect(try ben.output("post", "open", String(id)) == "https://example.com/a\n")
        #expect(try ben.linkstr("post", "show", "ffff").code == 66)
        _ = try ben.output("open-url", "linkstr://share?url=example.com%2Fb&note=hi", "--session", "Films")
        #expect(try ben.output("feed").contains("example.com/b"))
        let text = try LinkstrProcess.run(
            ["--home", ben.folder.path, "post", "Films", "-"],
            input: "Seen today:\nhttps://example.com/d.\n"
        )
        #expect(text.code == 0)
        #expect(try ben.output("feed", "--json").contains(#""url":"https://example.com/d","note":"Seen today: .""#))
        let nowhere = try ben.linkstr("open-url", "linkstr://share?url=example.com%2Fc")
        #expect(nowhere.code == 77 && nowhere.errorText.contains("--session"))
    }

    @Test("are hidden from one who blocks their author, and shown again")
    func blocking() throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try SharingTests.Person("Ann", relay: relay.url)
        let ben = try SharingTests.Person("Ben", relay: relay.url)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        _ = try ann.output("post", "Films", "example.com/a")
        _ = try ben.output("sync")
        _ = try ben.output("session", "accept", "Films")
        _ = try ben.output("session", "block", "Films", ann.npub)
        #expect(try !ben.output("feed").contains("example.com/a"))
        _ = try ben.output("session", "block", "Films", ann.npub, "--off")
        #expect(try ben.output("feed").contains("example.com/a"))
        #expect(try ann.output("feed").contains("example.com/a"))
    }

    @Test("An npub becomes a QR code in the terminal and a picture")
    func codes() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/code.png"
        #expect(try LinkstrProcess.run(["qr", Published.npub, "--png", file]).code == 0)
        let picture = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(picture.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        let shown = try LinkstrProcess.run(["qr", Published.npub])
        #expect(shown.text.contains("█") && shown.text.hasSuffix(Published.npub + "\n"))
        #expect(try LinkstrProcess.run(["qr", "nonsense"]).code == 65)
        #expect(try LinkstrProcess.run(["qr", Published.npub, "--png", "/nonexistent/x.png"]).code == 73)
    }
}

import NostrCrypto
import NostrEvents
import Testing

@Suite("Relay addresses")
struct RelayURLTests {
    @Test(arguments: [
        ("wss://relay.example.com", "wss://relay.example.com"),
        ("wss://relay.example.com/", "wss://relay.example.com"),
        (" WSS://Relay.Example.COM:443\n", "wss://relay.example.com"),
        ("ws://localhost:80/", "ws://localhost"),
        ("ws://localhost:443", "ws://localhost:443"),
        ("ws://127.0.0.1:7447/Path/", "ws://127.0.0.1:7447/Path/"),
        ("wss://a.example?Key=Value", "wss://a.example/?Key=Value"),
        ("wss://a.example/x#part", "wss://a.example/x"),
        ("wss://a.example#part", "wss://a.example"),
        ("ws://[2001:DB8::1]:8080/x", "ws://[2001:db8::1]:8080/x"),
        ("ws://[::1]", "ws://[::1]"),
        ("ws://a_b-c.onion:", "ws://a_b-c.onion"),
    ])
    func addressesAreBroughtIntoOneForm(text: String, expected: String) throws {
        let url = try RelayURL(text)
        #expect(url.text == expected)
        #expect(try RelayURL(url.text) == url)
    }

    @Test func thePartsAreRead() throws {
        let url = try RelayURL("wss://Relay.example.com/a/b?c=d#e")
        #expect(url.isSecure)
        #expect(url.host == "relay.example.com")
        #expect(url.port == 443)
        #expect(url.pathAndQuery == "/a/b?c=d")
        let local = try RelayURL("ws://[::1]:7447")
        #expect(!local.isSecure)
        #expect(local.host == "::1")
        #expect(local.port == 7447)
        #expect(local.pathAndQuery == "/")
    }

    @Test(arguments: [
        "", "relay.example.com", "https://relay.example.com", "wss:relay.example.com", "wss://", "wss:///path",
        "wss://:443", "wss://.", "wss://a..b", "wss://.a", "wss://user@a.example", "wss://a.example:0",
        "wss://a.example:65536",
        "wss://a.example:999999999999999999999", "wss://a.example:4a", "wss://a.example:-1", "wss://a b.example",
        "wss://\u{e4}.example", "wss://a.example/\u{e4}", "wss://[::1", "wss://[]", "wss://[abc]", "wss://[::1]443",
        "wss://[::g]", "wss://a,b", "wss://a\u{0}b", "://a",
        "wss://a.example/" + String(repeating: "x", count: RelayURL.maximumLength),
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: EventError.invalidRelayURL) { try RelayURL(text) }
    }

    @Test func slashesAtTheEndMakeNoOtherRelay() throws {
        #expect(try RelayURL("wss://a.example/x/").isSameRelay(as: RelayURL("wss://a.example/x")))
        #expect(try !RelayURL("wss://a.example/x").isSameRelay(as: RelayURL("wss://a.example/X")))
        #expect(try !RelayURL("wss://a.example").isSameRelay(as: RelayURL("ws://a.example")))
    }
}

@Suite("Authentication to relays (NIP-42)")
struct RelayAuthenticationTests {
    private let relay: RelayURL
    private let now: Int64 = 1_700_000_000

    init() throws {
        relay = try RelayURL("wss://relay.example.com")
    }

    @Test func anAnswerHasTheFormOfTheNIPAndIsAccepted() throws {
        let event = RelayAuthentication.event(challenge: "abc", relay: relay, createdAt: now, signedBy: try keyPair())
        #expect(event.kind == .clientAuthentication)
        #expect(Array(event.tags) == [Tag("relay", "wss://relay.example.com"), Tag("challenge", "abc")])
        try RelayAuthentication.check(event, challenge: "abc", relay: relay, now: now)
    }

    @Test(
        arguments: [
            (0, 600, true), (600, 600, true), (-600, 600, true), (601, 600, false), (-601, 600, false), (1, 0, false),
            (0, 0, true), (0, -5, true),
        ] as [(Int64, Int64, Bool)]
    )
    func theTimeWindowIsKeptOnBothSides(age: Int64, tolerance: Int64, isAccepted: Bool) throws {
        let event = RelayAuthentication.event(
            challenge: "c",
            relay: relay,
            createdAt: now - age,
            signedBy: try keyPair()
        )
        if isAccepted {
            try RelayAuthentication.check(event, challenge: "c", relay: relay, now: now, tolerance: tolerance)
        } else {
            #expect(throws: EventError.invalidAuthentication(.outsideTimeWindow)) {
                try RelayAuthentication.check(event, challenge: "c", relay: relay, now: now, tolerance: tolerance)
            }
        }
    }

    @Test func extremeClocksAreNoTrap() throws {
        let event = RelayAuthentication.event(challenge: "c", relay: relay, createdAt: .max, signedBy: try keyPair())
        for clock in [Int64.min, .max, 0] {
            #expect(throws: EventError.invalidAuthentication(.outsideTimeWindow)) {
                try RelayAuthentication.check(event, challenge: "c", relay: relay, now: clock)
            }
        }
    }

    @Test(
        arguments: [
            ("WSS://RELAY.example.com:443/", nil),
            ("wss://relay.example.com", nil),
            ("ws://relay.example.com", .wrongRelay),
            ("wss://relay.example.com:444", .wrongRelay),
            ("wss://relay.example.com/other", .wrongRelay),
            ("wss://relay.example.com.evil.example", .wrongRelay),
            ("relay.example.com", .wrongRelay),
            ("", .wrongRelay),
        ] as [(String, AuthenticationProblem?)]
    )
    func theRelayMustBeThisOne(named: String, problem: AuthenticationProblem?) throws {
        let event = Event(
            kind: .clientAuthentication,
            content: "",
            tags: [Tag("challenge", "c"), Tag("relay", named)],
            createdAt: now,
            signedBy: try keyPair()
        )
        try expect(problem) { try RelayAuthentication.check(event, challenge: "c", relay: relay, now: now) }
    }

    @Test(
        arguments: [
            ([Tag("relay", "wss://relay.example.com"), Tag("challenge", "C")], .clientAuthentication, .wrongChallenge),
            ([Tag("relay", "wss://relay.example.com"), Tag("challenge")], .clientAuthentication, .wrongChallenge),
            ([Tag("relay", "wss://relay.example.com")], .clientAuthentication, .wrongChallenge),
            ([Tag("challenge", "c")], .clientAuthentication, .wrongRelay),
            ([Tag("relay", "wss://relay.example.com"), Tag("challenge", "c")], .textNote, .wrongKind),
            ([Tag("relay", "wss://relay.example.com"), Tag("challenge", "c"), Tag("x")], .clientAuthentication, nil),
        ] as [([Tag], Kind, AuthenticationProblem?)]
    )
    func eachPartMustBeThere(tags: [Tag], kind: Kind, problem: AuthenticationProblem?) throws {
        let event = Event(kind: kind, content: "", tags: tags, createdAt: now, signedBy: try keyPair())
        try expect(problem) { try RelayAuthentication.check(event, challenge: "c", relay: relay, now: now) }
    }

    @Test func challengesAreComparedByTheirBytes() throws {
        // The same letter as one scalar and as two.
        let event = RelayAuthentication.event(
            challenge: "\u{e9}",
            relay: relay,
            createdAt: now,
            signedBy: try keyPair()
        )
        try RelayAuthentication.check(event, challenge: "\u{e9}", relay: relay, now: now)
        #expect(throws: EventError.invalidAuthentication(.wrongChallenge)) {
            try RelayAuthentication.check(event, challenge: "e\u{301}", relay: relay, now: now)
        }
    }
}

private func expect(_ problem: AuthenticationProblem?, _ body: () throws -> Void) throws {
    if let problem {
        #expect(throws: EventError.invalidAuthentication(problem), performing: body)
    } else {
        try body()
    }
}

@Suite("Authentication of HTTP requests (NIP-98)")
struct HTTPAuthorizationTests {
    private static let url = "https://api.example.com/v1/list?a=b&c"
    private let now: Int64 = 1_700_000_000

    /// The header of the NIP, which has no padding.
    private static let example =
        "Nostr eyJpZCI6ImZlOTY0ZTc1ODkwMzM2MGYyOGQ4NDI0ZDA5MmRhODQ5NGVkMjA3Y2JhODIzMTEwYmUzYTU3ZGZlNGI1Nzg3MzQiLCJwdWJrZXkiOiI2"
        + "M2ZlNjMxOGRjNTg1ODNjZmUxNjgxMGY4NmRkMDllMThiZmQ3NmFhYmMyNGEwMDgxY2UyODU2ZjMzMDUwNGVkIiwiY29udGVudCI6IiIsImtpbmQiOjI3"
        + "MjM1LCJjcmVhdGVkX2F0IjoxNjgyMzI3ODUyLCJ0YWdzIjpbWyJ1IiwiaHR0cHM6Ly9hcGkuc25vcnQuc29jaWFsL2FwaS92MS9uNXNwL2xpc3QiXSxb"
        + "Im1ldGhvZCIsIkdFVCJdXSwic2lnIjoiNWVkOWQ4ZWM5NThiYzg1NGY5OTdiZGMyNGFjMzM3ZDAwNWFmMzcyMzI0NzQ3ZWZlNGEwMGUyNGY0YzMwNDM3"
        + "ZmY0ZGQ4MzA4Njg0YmVkNDY3ZDlkNmJlM2U1YTUxN2JiNDNiMTczMmNjN2QzMzk0OWEzYWFmODY3MDVjMjIxODQifQ"

    /// The example's id is not the hash of its event, so it can only be read that far.
    @Test func theExampleOfTheNIPIsReadUpToItsWrongID() throws {
        #expect(throws: EventError.idMismatch) {
            try HTTPAuthorization.check(
                header: Self.example,
                url: "https://api.snort.social/api/v1/n5sp/list",
                method: "GET",
                now: 1_682_327_852
            )
        }
    }

    @Test func paddingMayBeLeftOut() throws {
        var lengths: Set<Int> = []
        for length in 0..<3 {
            let url = Self.url + String(repeating: "x", count: length)
            let header = HTTPAuthorization.header(url: url, method: "GET", createdAt: now, signedBy: try keyPair())
            let bare = String(header.prefix { $0 != "=" })
            lengths.insert(header.utf8.count - bare.utf8.count)
            _ = try HTTPAuthorization.check(header: header, url: url, method: "GET", now: now)
            _ = try HTTPAuthorization.check(header: bare, url: url, method: "GET", now: now)
        }
        #expect(lengths == [0, 1, 2])
    }

    @Test func aRequestIsAcceptedOnlyAsItWasSigned() throws {
        let keyPair = try keyPair()
        let body = Array("body".utf8)
        let header = HTTPAuthorization.header(
            url: Self.url,
            method: "POST",
            body: body,
            createdAt: now,
            signedBy: keyPair
        )
        func check(
            _ problem: AuthenticationProblem?,
            header: String = header,
            url: String = Self.url,
            method: String = "POST",
            body: [UInt8]? = body,
            now: Int64 = now
        ) throws {
            try expect(problem) {
                let event = try HTTPAuthorization.check(header: header, url: url, method: method, body: body, now: now)
                #expect(event.publicKey == keyPair.publicKey)
            }
        }
        try check(nil)
        try check(nil, header: "nostr  " + header.dropFirst(6))
        try check(nil, now: now + 60)
        try check(nil, now: now - 60)
        try check(.outsideTimeWindow, now: now + 61)
        try check(.outsideTimeWindow, now: now - 61)
        try check(.wrongURL, url: "https://api.example.com/v1/list?a=b")
        try check(.wrongURL, url: Self.url + "#")
        try check(.wrongMethod, method: "PUT")
        try check(.wrongMethod, method: "post")
        try check(.wrongPayload, body: Array("bodY".utf8))
        try check(.wrongPayload, body: nil)
        try check(.malformedHeader, header: "Basic " + header.dropFirst(6))
        try check(.malformedHeader, header: "Nostr")
        try check(.malformedHeader, header: header + "*")
        try check(
            .malformedHeader,
            header: header + String(repeating: "A", count: HTTPAuthorization.maximumHeaderLength)
        )
    }

    @Test func aBodyMustBeSignedUnlessTheServerDoesNotMind() throws {
        let header = HTTPAuthorization.header(url: Self.url, method: "POST", createdAt: now, signedBy: try keyPair())
        func check(_ body: [UInt8]?, requiresPayload: Bool) throws {
            _ = try HTTPAuthorization.check(
                header: header,
                url: Self.url,
                method: "POST",
                body: body,
                requiresPayload: requiresPayload,
                now: now
            )
        }
        try check(nil, requiresPayload: true)
        try check([], requiresPayload: true)
        try check([1], requiresPayload: false)
        #expect(throws: EventError.invalidAuthentication(.wrongPayload)) { try check([1], requiresPayload: true) }
    }

    @Test func theEventInTheHeaderIsVerified() throws {
        func header(_ json: String) -> String { "Nostr " + Base64.encode(Array(json.utf8)) }
        let event = Event(
            kind: .httpAuthentication,
            content: "",
            tags: [Tag("u", Self.url), Tag("method", "GET")],
            createdAt: now,
            signedBy: try keyPair()
        )
        func check(_ header: String) throws {
            _ = try HTTPAuthorization.check(header: header, url: Self.url, method: "GET", now: now)
        }
        try check(header(event.description))
        let forged = event.description.replacing("GET", with: "PUT")
        #expect(throws: EventError.idMismatch) { try check(header(forged)) }
        let other = Event(
            kind: .textNote,
            content: "",
            tags: Array(event.tags),
            createdAt: now,
            signedBy: try keyPair()
        )
        #expect(throws: EventError.invalidAuthentication(.wrongKind)) { try check(header(other.description)) }
        #expect(throws: EventError.malformedJSON(.unexpectedEnd, at: 0)) { try check(header("")) }
    }
}

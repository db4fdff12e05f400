import Testing
import WebSocket

private let free = CompressionPolicy(serverNoContextTakeover: false, clientNoContextTakeover: false)

/// A client's header, the server's policy, and what the server must answer.
private let choices: [(offer: [String], policy: CompressionPolicy, answer: String?)] = [
    (["permessage-deflate"], free, "permessage-deflate"),
    (
        ["permessage-deflate"], CompressionPolicy(),
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    ),
    (["permessage-deflate; client_max_window_bits"], free, "permessage-deflate"),
    (
        ["permessage-deflate; client_max_window_bits=12"], free,
        "permessage-deflate; client_max_window_bits=12"
    ),
    (
        ["permessage-deflate; server_max_window_bits=10"], free, "permessage-deflate; server_max_window_bits=10"
    ),
    (
        ["permessage-deflate; server_max_window_bits=\"9\";client_no_context_takeover"], free,
        "permessage-deflate; client_no_context_takeover; server_max_window_bits=9"
    ),
    (
        ["permessage-deflate;server_max_window_bits=15"],
        CompressionPolicy(serverNoContextTakeover: false, clientNoContextTakeover: false, serverMaxWindowBits: 9),
        "permessage-deflate; server_max_window_bits=9"
    ),
    (["x-webkit-deflate-frame"], free, nil), ([], free, nil), ([""], free, nil),
    (["foo; bar=1, permessage-deflate"], free, "permessage-deflate"),
    (["foo", "permessage-deflate"], free, "permessage-deflate"),
    (["permessage-deflate; unknown, permessage-deflate"], free, "permessage-deflate"),
    (["permessage-deflate; unknown"], free, nil),
    (["permessage-deflate; server_no_context_takeover=1"], free, nil),
    (["permessage-deflate; server_no_context_takeover; server_no_context_takeover"], free, nil),
    (["permessage-deflate; server_max_window_bits"], free, nil),
    (["permessage-deflate; server_max_window_bits=7"], free, nil),
    (["permessage-deflate; server_max_window_bits=16"], free, nil),
    (["permessage-deflate; server_max_window_bits=08"], free, nil),
    (["permessage-deflate; client_max_window_bits=+9"], free, nil),
    (["permessage-deflate; client_max_window_bits=1000000000000000000000"], free, nil),
    (["permessage-deflate; server_max_window_bits=8"], free, "permessage-deflate; server_max_window_bits=8"),
]

@Test(arguments: choices)
func aServerAnswersOffersAsTheRFCSays(offer: [String], policy: CompressionPolicy, answer: String?) throws {
    #expect(try policy.choose(from: offer)?.headerValue == answer)
}

@Test func aServerThatLimitsTheClientPassesOverClientsThatCannotBeLimited() throws {
    let policy = CompressionPolicy(clientNoContextTakeover: false, clientMaxWindowBits: 10)
    #expect(try policy.choose(from: ["permessage-deflate"]) == nil)
    let chosen = try #require(
        try policy.choose(from: ["permessage-deflate, permessage-deflate; client_max_window_bits"])
    )
    #expect(chosen.parameters == CompressionParameters(serverNoContextTakeover: true, clientMaxWindowBits: 10))
    #expect(
        chosen.headerValue == "permessage-deflate; server_no_context_takeover; client_max_window_bits=10"
    )
}

@Test(
    arguments: [
        "permessage-deflate;", "permessage-deflate; =", "permessage-deflate; a=", "permessage-deflate; a=\"", "a b",
        "permessage-deflate; a=\"b c\"", "permessage-deflate; a=\"\"", ";", "permessage-deflate; a=b c", "a/b",
    ])
func anExtensionsHeaderThatBreaksTheGrammarIsRefused(header: String) {
    #expect(throws: HandshakeFault.extensions) { try free.choose(from: [header]) }
    #expect(throws: HandshakeFault.extensions) { try CompressionOffer().agreed(by: [header]) }
}

/// An offer, the server's answer, and what the client makes of it: nil for a refusal.
private let answers: [(offer: CompressionOffer, answer: String, agreed: CompressionParameters?)] = [
    (CompressionOffer(), "permessage-deflate", CompressionParameters()),
    (
        CompressionOffer(), "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        CompressionParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    ),
    (
        CompressionOffer(), "permessage-deflate; client_max_window_bits=9; server_max_window_bits=10",
        CompressionParameters(serverMaxWindowBits: 10, clientMaxWindowBits: 9)
    ),
    (CompressionOffer(), "permessage-deflate; client_max_window_bits", nil),
    (CompressionOffer(), "permessage-deflate; unknown", nil),
    (CompressionOffer(), "permessage-deflate, permessage-deflate", nil),
    (CompressionOffer(), "permessage-foo", nil),
    (CompressionOffer(clientMaxWindowBits: .fixed), "permessage-deflate; client_max_window_bits=9", nil),
    (CompressionOffer(clientMaxWindowBits: .fixed), "permessage-deflate", CompressionParameters()),
    (
        CompressionOffer(clientMaxWindowBits: .atMost(10)), "permessage-deflate",
        CompressionParameters(clientMaxWindowBits: 10)
    ),
    (
        CompressionOffer(clientMaxWindowBits: .atMost(10)), "permessage-deflate; client_max_window_bits=9",
        CompressionParameters(clientMaxWindowBits: 9)
    ),
    (CompressionOffer(serverNoContextTakeover: true), "permessage-deflate", nil),
    (
        CompressionOffer(serverNoContextTakeover: true), "permessage-deflate; server_no_context_takeover",
        CompressionParameters(serverNoContextTakeover: true)
    ),
    (CompressionOffer(serverMaxWindowBits: 10), "permessage-deflate", nil),
    (CompressionOffer(serverMaxWindowBits: 10), "permessage-deflate; server_max_window_bits=11", nil),
    (
        CompressionOffer(serverMaxWindowBits: 10), "permessage-deflate; server_max_window_bits=10",
        CompressionParameters(serverMaxWindowBits: 10)
    ),
]

@Test(arguments: answers)
func aClientTakesOnlyAnAnswerToItsOffer(offer: CompressionOffer, answer: String, agreed: CompressionParameters?) throws
{
    if let agreed {
        #expect(try offer.agreed(by: [answer]) == agreed)
    } else {
        #expect(throws: HandshakeFault.extensions) { try offer.agreed(by: [answer]) }
    }
}

@Test func anAnswerWithoutExtensionsMeansNoCompression() throws {
    #expect(try CompressionOffer().agreed(by: []) == nil)
}

@Test func anOfferNamesWhatItAsks() {
    #expect(CompressionOffer().headerValue == "permessage-deflate; client_max_window_bits")
    let full = CompressionOffer(
        serverNoContextTakeover: true,
        clientNoContextTakeover: true,
        serverMaxWindowBits: 9,
        clientMaxWindowBits: .atMost(12)
    )
    #expect(
        full.headerValue == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            + "server_max_window_bits=9; client_max_window_bits=12"
    )
    #expect(CompressionOffer(clientMaxWindowBits: .fixed).headerValue == "permessage-deflate")
}

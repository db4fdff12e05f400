import NostrCrypto
import NostrEvents
import Testing

private let hex = String(repeating: "0a", count: 32)
private let registers = String(repeating: "07", count: 256)

private func filled(_ text: String) throws -> String {
    try text.replacing("HEX", with: hex).replacing("REGISTERS", with: registers)
        .replacing("NOTE", with: String(decoding: Event(json: EventText().text).json, as: UTF8.self))
}

@Test(arguments: [
    #"["EVENT",NOTE]"#, #"["REQ","s",{}]"#, #"["REQ","s",{"kinds":[1]},{"authors":["HEX"]},{"limit":5}]"#,
    #"["CLOSE","s"]"#,
    #"["AUTH",NOTE]"#, #"["COUNT","s",{"kinds":[1]}]"#, #"["COUNT","s",{},{}]"#,
    #"["NEG-OPEN","s",{"kinds":[1]},"61ff"]"#,
    #"["NEG-MSG","s","6100"]"#, #"["NEG-CLOSE","s"]"#, #"["CLOSE","a \"quoted\" é\n🙂"]"#,
])
func aClientMessageReadsAndWritesBack(text: String) throws {
    let text = try filled(text)
    #expect(try ClientMessage(json: text).description == text)
}

@Test(arguments: [
    #"["EVENT","s",NOTE]"#, #"["OK","HEX",true,""]"#, #"["OK","HEX",false,"pow: difficulty 26 is less than 30"]"#,
    #"["EOSE","s"]"#, #"["EOSE","s",["finish"]]"#, #"["EOSE","s",["more"]]"#, #"["EOSE","s",["finish","more"]]"#,
    #"["CLOSED","s","error: shutting down"]"#, #"["NOTICE","some\ttext"]"#, #"["AUTH","challenge"]"#,
    #"["COUNT","s",{"count":0}]"#, #"["COUNT","s",{"count":9007199254740991,"approximate":true}]"#,
    #"["COUNT","s",{"count":5,"hll":"REGISTERS"}]"#, #"["NEG-MSG","s",""]"#, #"["NEG-MSG","s","61ab"]"#,
    #"["NEG-ERR","s","blocked: this query is too big"]"#, #"["NEG-ERR","s","blocked: this query is too big",500]"#,
])
func aRelayMessageReadsAndWritesBack(text: String) throws {
    let text = try filled(text)
    #expect(try RelayMessage(json: text).description == text)
}

@Test func theElementsOfMessagesAreWhatTheyAreSaidToBe() throws {
    let s = try SubscriptionID("s")
    if case .event(let id, let event) = try RelayMessage(json: filled(#" [ "EVENT" , "s" , NOTE , {"later":1} ] "#)) {
        #expect(id == s)
        #expect(try Event(verifying: event).id == Event(json: EventText().text).id)
    } else {
        Issue.record("not an event")
    }
    if case .ok(let id, let accepted, let status) = try RelayMessage(
        json: filled(#"["OK","HEX",false,"duplicate: x"]"#)
    ) {
        #expect(id.hex == hex)
        #expect(!accepted)
        #expect(status.prefix == .duplicate)
        #expect(status.sentence == "x")
    } else {
        Issue.record("not an OK")
    }
    if case .request(let id, let filters) = try ClientMessage(json: #"["REQ","s",{"kinds":[1]},{"limit":2}]"#) {
        #expect(id == s)
        #expect(filters == [Filter(kinds: [1]), Filter(limit: 2)])
    } else {
        Issue.record("not a REQ")
    }
    if case .reconcile(let id, let filter, let message) = try ClientMessage(
        json: #"["NEG-OPEN","s",{"kinds":[1]},"61FF"]"#
    ) {
        #expect(id == s)
        #expect(filter == Filter(kinds: [1]))
        #expect(message == [0x61, 0xFF])
    } else {
        Issue.record("not a NEG-OPEN")
    }
    if case .count(_, let count) = try RelayMessage(
        json: filled(#"["COUNT","s",{"x":[],"count":7,"approximate":false,"hll":"REGISTERS"}]"#)
    ) {
        #expect(count == EventCount(count: 7, hyperLogLog: [UInt8](repeating: 7, count: 256)))
    } else {
        Issue.record("not a COUNT")
    }
}

@Test(
    arguments: [
        (#"["EOSE","s"]"#, EndOfStoredEventsHints()), (#"["EOSE","s",[]]"#, []),
        (#"["EOSE","s",["finish"]]"#, [.finish]),
        (#"["EOSE","s",["more","other"]]"#, [.more]), (#"["EOSE","s",["unknown",1,null,["finish"]]]"#, []),
        (#"["EOSE","s","finish"]"#, []), (#"["EOSE","s",null]"#, []), (#"["EOSE","s",["more"],{"x":1}]"#, [.more]),
        (#"["EOSE","s",["\u0066inish"]]"#, [.finish]),
    ] as [(String, EndOfStoredEventsHints)]
)
func unknownHintsAreIgnored(text: String, expected: EndOfStoredEventsHints) throws {
    guard case .endOfStoredEvents(_, let hints) = try RelayMessage(json: text) else {
        Issue.record("not an EOSE")
        return
    }
    #expect(hints == expected)
}

@Test(arguments: [
    (#"["REQ","s",{}]"#, #"["REQ","s"]"#, EventError.invalidMessage(.noFilter)),
    (#"["REQ","s",{}]"#, #"["REQ"]"#, .invalidMessage(.invalidElement)),
    (#"["REQ","s",{}]"#, #"["REQ",5,{}]"#, .invalidMessage(.invalidElement)),
    (#"["REQ","s",{}]"#, #"["REQ","",{}]"#, .invalidSubscriptionID),
    (#"["REQ","s",{}]"#, #"["REQ","s",[]]"#, .invalidFilter(.notAnObject)),
    (#"["REQ","s",{}]"#, #"["REQ","s",{},{"x":1}]"#, .invalidFilter(.unknownField("x"))),
    (#"["EVENT",NOTE]"#, #"["EVENT"]"#, .invalidMessage(.invalidElement)),
    (#"["EVENT",NOTE]"#, #"["EVENT","s",NOTE]"#, .invalidMessage(.invalidElement)),
    (#"["EVENT",NOTE]"#, #"["EVENT",{}]"#, .missingField(.id)),
    (#"["EVENT",NOTE]"#, #"["event",NOTE]"#, .invalidMessage(.unknownType("event"))),
    (#"["EVENT",NOTE]"#, #"{"EVENT":NOTE}"#, .invalidMessage(.notAMessage)),
    (#"["EVENT",NOTE]"#, #"[]"#, .invalidMessage(.notAMessage)),
    (#"["EVENT",NOTE]"#, #"[1]"#, .invalidMessage(.notAMessage)),
    (#"["EVENT",NOTE]"#, #""EVENT""#, .invalidMessage(.notAMessage)),
    (#"["EVENT",NOTE]"#, #"["EVENT",NOTE"#, .malformedJSON(.unexpectedEnd, at: 0)),
    (#"["EVENT",NOTE]"#, #"["EVENT",NOTE]]"#, .malformedJSON(.trailingBytes, at: 0)),
    (#"["EVENT",NOTE]"#, #"["EVENT",NOTE,nul]"#, .malformedJSON(.unexpectedByte, at: 0)),
    (#"["CLOSE","s"]"#, #"["CLOSE","s",]"#, .malformedJSON(.invalidNumber, at: 0)),
    (#"["NEG-MSG","s","00"]"#, #"["NEG-MSG","s","0"]"#, .invalidMessage(.invalidElement)),
    (#"["NEG-MSG","s","00"]"#, #"["NEG-MSG","s","0g"]"#, .invalidMessage(.invalidElement)),
    (#"["NEG-OPEN","s",{},"61"]"#, #"["NEG-OPEN","s","HEX","61"]"#, .invalidFilter(.notAnObject)),
    (#"["NEG-OPEN","s",{},"61"]"#, #"["NEG-OPEN","s",{}]"#, .invalidMessage(.invalidElement)),
])
func aClientMessageOfAnotherShapeIsRefused(good: String, bad: String, error: EventError) throws {
    #expect(throws: Never.self) { try ClientMessage(json: filled(good)) }
    #expect(throws: error) {
        do throws(EventError) {
            _ = try ClientMessage(json: (try? filled(bad)) ?? "")
        } catch {
            throw error.kindOfProblem
        }
    }
}

@Test(arguments: [
    (#"["OK","HEX",true,""]"#, #"["OK","HEX"]"#), (#"["OK","HEX",true]"#, #"["OK","HEX","true",""]"#),
    (#"["OK","HEX",true,""]"#, #"["OK","0a",true,""]"#), (#"["OK","HEX",true,""]"#, #"["OK","HEX",true,5]"#),
    (#"["CLOSED","s"]"#, #"["CLOSED","s",null]"#), (#"["NOTICE",""]"#, #"["NOTICE"]"#),
    (#"["NOTICE",""]"#, #"["NOTICE",{}]"#),
    (#"["AUTH","x"]"#, #"["AUTH",NOTE]"#), (#"["COUNT","s",{"count":1}]"#, #"["COUNT","s",{}]"#),
    (#"["COUNT","s",{"count":1}]"#, #"["COUNT","s",1]"#),
    (#"["COUNT","s",{"count":1}]"#, #"["COUNT","s",{"count":-1}]"#),
    (#"["COUNT","s",{"count":1}]"#, #"["COUNT","s",{"count":1.5}]"#),
    (#"["COUNT","s",{"count":1}]"#, #"["COUNT","s",{"count":1,"approximate":1}]"#),
    (#"["COUNT","s",{"count":1,"hll":"REGISTERS"}]"#, #"["COUNT","s",{"count":1,"hll":"07"}]"#),
    (#"["NEG-ERR","s","x"]"#, #"["NEG-ERR","s"]"#), (#"["EVENT","s",NOTE]"#, #"["EVENT",NOTE]"#),
    (#"["EVENT","s",NOTE]"#, #"["EVENT","s"]"#),
])
func aRelayMessageOfAnotherShapeIsRefused(good: String, bad: String) throws {
    #expect(throws: Never.self) { try RelayMessage(json: filled(good)) }
    #expect(throws: EventError.invalidMessage(.invalidElement)) { try RelayMessage(json: filled(bad)) }
}

@Test func theNumberOfFiltersIsBounded() throws {
    func text(_ count: Int) -> String {
        "[\"REQ\",\"s\"" + String(repeating: ",{}", count: count) + "]"
    }
    #expect(throws: Never.self) { try ClientMessage(json: text(64)) }
    #expect(throws: EventError.invalidMessage(.tooManyFilters(limit: 64))) { try ClientMessage(json: text(65)) }
}

@Test func aSubscriptionIDHasOneTo64Characters() throws {
    #expect(throws: EventError.invalidSubscriptionID) { try SubscriptionID("") }
    #expect(throws: Never.self) { try SubscriptionID(String(repeating: "x", count: 64)) }
    #expect(throws: EventError.invalidSubscriptionID) { try SubscriptionID(String(repeating: "x", count: 65)) }
    #expect(throws: Never.self) { try SubscriptionID(String(repeating: "🙂", count: 64)) }
    #expect(throws: EventError.invalidSubscriptionID) { try SubscriptionID(String(repeating: "🙂", count: 65)) }
    // One letter with many marks is one Character to Swift.
    #expect(throws: EventError.invalidSubscriptionID) {
        try SubscriptionID("e" + String(repeating: "\u{301}", count: 64))
    }
    #expect(try SubscriptionID("\u{E9}") != SubscriptionID("e\u{301}"))
}

@Test(
    arguments: [
        ("duplicate: have it", "duplicate", "have it"), ("rate-limited: slow", "rate-limited", "slow"),
        ("pow:x", "pow", "x"),
        ("auth-required:  two spaces", "auth-required", "two spaces"), ("", nil, ""), ("no prefix", nil, "no prefix"),
        ("two words: x", nil, "two words: x"), (": x", nil, ": x"), ("Upper: x", nil, "Upper: x"),
        ("error:", "error", ""),
        ("see https://x", nil, "see https://x"), ("\u{E9}: x", nil, "\u{E9}: x"),
        ("invalid: e\u{301}", "invalid", "e\u{301}"),
        (String(repeating: "a", count: 32) + ":", String(repeating: "a", count: 32), ""),
        (String(repeating: "a", count: 33) + ":", nil, String(repeating: "a", count: 33) + ":"),
    ] as [(String, String?, String)]
)
func aStatusHasAPrefixAndASentence(text: String, prefix: String?, sentence: String) {
    let status = StatusMessage(text: text)
    #expect(status.prefix?.rawValue == prefix)
    #expect(status.sentence == sentence)
    #expect(status.text == text)
}

@Test func aStatusIsMadeOfItsPrefixAndSentence() {
    let status = StatusMessage(.authenticationRequired, "please say who you are")
    #expect(status.text == "auth-required: please say who you are")
    #expect(status.prefix == .authenticationRequired)
}

@Test func aFrameIsLookedAtWithoutParsing() throws {
    let good = try EventText()
    let id = try Event(json: good.text).id
    // The id first, in the middle and last, behind text that looks like it.
    for place in [0, 3, 6] {
        var text = good.with("content", #""\"id\":\"\#(hex)\" \\""#)
            .with("tags", #"[["id","\#(hex)"],["x","]}\"","{"]]"#)
        text.fields.swapAt(0, place)
        text.fields.insert((#""a\"id""#, #"{"id":"\#(hex)","b":["\\\""]}"#), at: 0)
        text.fields.insert((#""n""#, "-1.5e3"), at: 0)
        for space in ["", " \n"] {
            let frame = Array(
                "\(space)[\(space)\"EVENT\"\(space),\(space)\"sub\"\(space),\(space)\(text.text)\(space)]".utf8
            )
            let preview = try #require(RelayMessagePreview(frame))
            #expect(preview.label == .event)
            #expect(preview.eventID == id)
            #expect(preview.subscription(in: frame)?.text == "sub")
            #expect(EventScanner.eventID(Array((space + text.text).utf8)) == id)
            guard case .event(_, let event) = try RelayMessage(json: frame) else {
                Issue.record("not an event")
                return
            }
            #expect(event.id == id)
        }
    }
}

@Test(
    arguments: [
        (#"["OK","HEX",true,""]"#, RelayMessagePreview.Label.ok, nil, hex),
        (#"["EOSE","s"]"#, .endOfStoredEvents, "s", nil),
        (#"["CLOSED","s","x"]"#, .closed, "s", nil), (#"["NOTICE","s"]"#, .notice, nil, nil),
        (#"["AUTH","s"]"#, .challenge, nil, nil),
        (#"["COUNT","s",{"count":1}]"#, .count, "s", nil), (#"["NEG-MSG","s",""]"#, .reconciliation, "s", nil),
        (#"["NEG-ERR","s",""]"#, .reconciliationError, "s", nil), (#"["EOSE"]"#, .endOfStoredEvents, nil, nil),
        (#"["EOSE","\u0061"]"#, .endOfStoredEvents, nil, nil), (#"["EVENT","s"]"#, .event, "s", nil),
        (#"["EVENT","s",{"id":"0a"}]"#, .event, "s", nil), (#"["EVENT","s",{"kind":1}]"#, .event, "s", nil),
        (#"["EVENT",{"id":"HEX"}]"#, .event, nil, nil),
    ] as [(String, RelayMessagePreview.Label, String?, String?)]
)
func aPreviewSaysWhatIsThere(text: String, label: RelayMessagePreview.Label, subscription: String?, id: String?) throws
{
    let frame = Array(text.replacing("HEX", with: hex).utf8)
    let preview = try #require(RelayMessagePreview(frame))
    #expect(preview.label == label)
    #expect(preview.subscription(in: frame)?.text == subscription)
    #expect(preview.eventID?.hex == id)
}

@Test(arguments: ["", "[", "[]", "{}", #"["EVEN""#, #"["X"]"#, #"["EVENTEVENT","s"]"#, #"["EVENT"#, "x", #""EVENT""#])
func whatIsNoMessageHasNoPreview(text: String) {
    #expect(RelayMessagePreview(Array(text.utf8)) == nil)
}

@Test func anErrorShowsOnlyTheStartOfWhatWasSent() {
    // A letter with any number of marks is one Character to Swift.
    let long = "e" + String(repeating: "\u{301}", count: 10_000)
    let cut = String(long.unicodeScalars.prefix(32))
    #expect(throws: EventError.invalidMessage(.unknownType(cut))) { try RelayMessage(json: "[\"\(long)\"]") }
    #expect(throws: EventError.invalidFilter(.unknownField(cut))) { try Filter(json: "{\"\(long)\":1}") }
}

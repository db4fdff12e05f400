import NostrCrypto
import NostrEvents
import TestSupport
import Testing

@Test func aTextCutOffAnywhereIsRefused() throws {
    let text = Array(try EventText().adding("extra", "[{\"a\":[1.5e-3,true,null,\"\\ud83d\\ude42ü\"]}]").text.utf8)
    #expect((try? WireEvent(json: text)) != nil)
    var accepted: [Int] = []
    for length in text.indices {
        do throws(EventError) {
            _ = try WireEvent(json: Array(text[..<length]))
            accepted.append(length)
        } catch {
            // A cut inside of a value whose fixed length is checked first is told by the field, others by the end.
            switch error.kindOfProblem {
            case .malformedJSON(.unexpectedEnd, _): break
            default: accepted.append(length)
            }
        }
    }
    #expect(accepted == [])
}

@Test func aChangedByteNeverMakesAnotherEventThatVerifies() throws {
    let text = Array(try EventText().text.utf8)
    let expected = try Event(json: text)
    var wrong: [String] = []
    for index in text.indices {
        for change: UInt8 in [0x01, 0x02, 0x20, 0x80] {
            var changed = text
            changed[index] ^= change
            guard let event = try? WireEvent(json: changed), event.hasValidID else { continue }
            // What is left is a changed signature, or white space for white space.
            if event.id != expected.id || event.content != expected.content {
                wrong.append(String(decoding: changed, as: UTF8.self))
            }
            if event.signature != expected.signature, (try? Event(verifying: event)) != nil {
                wrong.append(String(decoding: changed, as: UTF8.self))
            }
        }
    }
    #expect(wrong == [])
}

@Test func randomBytesNeverCrashAReader() {
    var random = SeededGenerator(seed: 7)
    let alphabet =
        Array(#"{}[]",:\u0123456789abcdefEVNTREQid sig tags-+.e"#.utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
    var accepted = 0
    for _ in 0..<5_000 {
        let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0
        }
        if (try? WireEvent(json: bytes)) != nil { accepted += 1 }
        if (try? RelayMessage(json: Array("[\"EVENT\",\"a\",{".utf8) + bytes)) != nil { accepted += 1 }
        _ = try? ClientMessage(json: bytes)
        _ = try? Filter(json: bytes)
        _ = try? JSONValue(json: bytes)
        _ = try? RawJSON(json: bytes).members()
        _ = RelayMessagePreview(bytes)
        _ = RelayMessagePreview(Array("[\"EVENT\",\"a\",{\"".utf8) + bytes)
        _ = EventScanner.eventID(bytes)
    }
    #expect(accepted == 0)
}

@Test func deepNestingIsRefusedWithoutRecursion() throws {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = String(repeating: open, count: 100_000)
        let text = try EventText().adding("x", deep + "1" + String(repeating: close, count: 100_000)).text
        #expect(throws: EventError.self) { try WireEvent(json: text) }
        #expect(throws: EventError.self) { try JSONValue(json: deep) }
        #expect(throws: EventError.self) { try RawJSON(json: Array(deep.utf8)) }
        #expect(throws: EventError.self) { try Filter(json: "{\"ids\":" + deep) }
        #expect(throws: EventError.self) { try RelayMessage(json: "[\"NOTICE\",\"a\"," + deep) }
    }
    let allowed = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONValue(json: allowed) }
    #expect(throws: Never.self) { try RawJSON(json: Array(allowed.utf8)) }
    #expect(throws: EventError.malformedJSON(.tooDeep, at: 64)) { try JSONValue(json: "[" + allowed + "]") }
    #expect(throws: EventError.malformedJSON(.tooDeep, at: 64)) { try RawJSON(json: Array("[\(allowed)]".utf8)) }
    #expect(throws: EventError.malformedJSON(.tooDeep, at: 2)) {
        try JSONValue(json: "[[[]]]", limits: JSONLimits(depth: 2))
    }
    var limits = JSONLimits()
    limits.depth = 1_000_000
    #expect(throws: EventError.malformedJSON(.tooDeep, at: 64)) {
        try JSONValue(json: String(repeating: "[", count: 500_000), limits: limits)
    }
}

@Test func tagsAreCountedAgainstTheLimitOfTheKind() throws {
    func text(_ kind: UInt16, _ count: Int, kindFirst: Bool = false) throws -> String {
        var text = try EventText().with("kind", "\(kind)")
            .with("tags", "[" + Array(repeating: "[\"p\"]", count: count).joined(separator: ",") + "]")
        if kindFirst { text.fields.swapAt(0, 3) }
        return text.text
    }
    #expect(try WireEvent(json: text(1, 2_000)).tags.count == 2_000)
    #expect(throws: EventError.tooManyTags(limit: 2_000)) { try WireEvent(json: text(1, 2_001)) }
    #expect(throws: EventError.tooManyTags(limit: 2_000)) { try WireEvent(json: text(1, 2_001, kindFirst: true)) }
    #expect(try WireEvent(json: text(3, 10_000)).tags.count == 10_000)
    #expect(throws: EventError.tooManyTags(limit: 10_000)) { try WireEvent(json: text(3, 10_001)) }

    let limits = EventLimits(tags: 5, tagsOfKind: [7: 2])
    #expect(try WireEvent(json: text(1, 5), limits: limits).tags.count == 5)
    #expect(throws: EventError.tooManyTags(limit: 5)) { try WireEvent(json: text(1, 6), limits: limits) }
    #expect(try WireEvent(json: text(7, 2), limits: limits).tags.count == 2)
    #expect(throws: EventError.tooManyTags(limit: 2)) { try WireEvent(json: text(7, 3), limits: limits) }

    let million = try EventText().with(
        "tags",
        "[" + Array(repeating: "[\"\"]", count: 1_000_000).joined(separator: ",") + "]"
    )
    #expect(throws: EventError.tooLarge(limit: 2_097_152)) { try WireEvent(json: million.text) }
    #expect(throws: EventError.tooManyTags(limit: 10_000)) {
        try WireEvent(json: million.text, limits: EventLimits(size: .max, contentSize: .max))
    }
}

@Test func sizesAreBounded() throws {
    let good = try EventText()
    let size = good.text.utf8.count
    #expect(try WireEvent(json: good.text, limits: EventLimits(size: size)).kind == 1)
    #expect(throws: EventError.tooLarge(limit: size - 1)) {
        try WireEvent(json: good.text, limits: EventLimits(size: size - 1))
    }
    let message = "[\"EVENT\",\(good.text)]"
    #expect(throws: Never.self) {
        try ClientMessage(json: message, limits: MessageLimits(event: EventLimits(size: size)))
    }
    #expect(throws: EventError.tooLarge(limit: size - 1)) {
        try ClientMessage(json: message, limits: MessageLimits(event: EventLimits(size: size - 1)))
    }
    #expect(throws: EventError.malformedJSON(.tooLarge, at: size)) {
        try ClientMessage(json: message, limits: MessageLimits(size: size))
    }
    let ten = good.with("content", "\"0123456789\"").text
    #expect(try WireEvent(json: ten, limits: EventLimits(contentSize: 10)).content.count == 10)
    #expect(throws: EventError.contentTooLarge(limit: 9)) {
        try WireEvent(json: ten, limits: EventLimits(contentSize: 9))
    }
}

@Test(
    arguments: [
        ([0xC3, 0xBC], true), ([0xE2, 0x82, 0xAC], true), ([0xF0, 0x9F, 0x99, 0x82], true),
        ([0xF4, 0x8F, 0xBF, 0xBF], true),
        ([0xED, 0x9F, 0xBF], true), ([0xEE, 0x80, 0x80], true), ([0xEF, 0xBF, 0xBF], true), ([0x7F], true),
        ([0x80], false), ([0xBF], false), ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC3], false),
        ([0xC3, 0x28], false),
        ([0xE0, 0x80, 0x80], false), ([0xE0, 0x9F, 0xBF], false), ([0xE2, 0x82], false), ([0xE2, 0x28, 0xAC], false),
        ([0xE2, 0x82, 0x28], false), ([0xED, 0xA0, 0x80], false), ([0xED, 0xBF, 0xBF], false),
        ([0xF0, 0x80, 0x80, 0x80], false),
        ([0xF0, 0x8F, 0xBF, 0xBF], false), ([0xF0, 0x9F, 0x99], false), ([0xF0, 0x9F, 0x99, 0x28], false),
        ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xF8, 0x88, 0x80, 0x80, 0x80], false),
        ([0xFE], false), ([0xFF], false), ([0xC3, 0xBC, 0xBC], false), ([0x00], false), ([0x1F], false),
        ([0x0A], false),
    ] as [([UInt8], Bool)]
)
func stringsAreValidUTF8WithoutBareControlCharacters(bytes: [UInt8], isAccepted: Bool) throws {
    let good = try EventText()
    // At each distance from the start of a word, and followed by more or less than a word.
    for lead in 0..<9 {
        for trail in [0, 1, 9] {
            let content =
                Array(repeating: UInt8(ascii: "a"), count: lead) + bytes
                + Array(repeating: UInt8(ascii: "b"), count: trail)
            let parts = good.with("content", "\"|\"").text.split(separator: "|")
            let json = Array(parts[0].utf8) + content + Array(parts[1].utf8)
            let event = try? WireEvent(json: json)
            #expect((event != nil) == isAccepted)
            if let event { #expect(Array(event.content.utf8) == content) }
        }
    }
}

@Test(
    arguments: [
        (#"\ud83d\ude42"#, "🙂"), (#"\uD83D\uDE42"#, "🙂"), (#"\u0041"#, "A"), (#"\udbff\udfff"#, "\u{10FFFF}"),
        (#"\ud800\udc00"#, "\u{10000}"), (#"\uffff"#, "\u{FFFF}"), (#"\/"#, "/"), (#"\u0000"#, "\u{0}"),
        (#"\ud83d"#, nil), (#"\ude42"#, nil), (#"\ud83dx"#, nil), (#"\ud83d\n"#, nil), (#"\ud83d\u0041"#, nil),
        (#"\ud83d\ud83d"#, nil), (#"\ude42\ud83d"#, nil), (#"\u12"#, nil), (#"\u12g4"#, nil), (#"\U0041"#, nil),
        (#"\x41"#, nil),
        (#"\'"#, nil), (#"\0"#, nil), (#"\ "#, nil),
    ] as [(String, String?)]
)
func escapesMeanWhatJSONSaysOrAreRefused(escape: String, meaning: String?) throws {
    let text = try EventText().with("content", "\"a\(escape)b\"").text
    let content = (try? WireEvent(json: text))?.content
    #expect(content.map { Array($0.utf8) } == meaning.map { Array("a\($0)b".utf8) })
    let inTag = try EventText().with("tags", "[[\"t\",\"a\(escape)b\"]]").text
    #expect((try? WireEvent(json: inTag))?.tags.firstValue(named: "t") == meaning.map { "a\($0)b" })
}

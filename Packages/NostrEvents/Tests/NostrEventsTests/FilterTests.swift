import NostrCrypto
import NostrEvents
import TestSupport
import Testing

private let hex = String(repeating: "0a", count: 32)

private func problem(of text: String, _ limits: FilterLimits = .standard) -> EventError? {
    do throws(EventError) {
        _ = try Filter(json: text, limits: limits)
        return nil
    } catch {
        return error.kindOfProblem
    }
}

@Test func aFilterReadsAndWritesBack() throws {
    let text =
        #"{"ids":["\#(hex)"],"authors":["\#(hex)"],"kinds":[1,30023],"#
        + ##""#E":["x"],"#e":["\##(hex)"],"#t":["b","a\n\"","é"],"since":1,"until":9007199254740991,"limit":0,"search":"a \\ b"}"##
    let filter = try Filter(json: text)
    #expect(filter.ids == [try EventID(hex: hex)])
    #expect(filter.authors == [try Bytes32(hex: hex)])
    #expect(filter.kinds == [.textNote, .longFormText])
    #expect(filter.tags[.t].map(Array.init) == ["b", "a\n\"", "é"])
    #expect(filter.tags.count == 3)
    #expect(filter.since == 1)
    #expect(filter.until == 9_007_199_254_740_991)
    #expect(filter.limit == 0)
    #expect(filter.search == "a \\ b")
    #expect(filter.description == text)
    #expect(try Filter(json: filter.json) == filter)
    #expect(try Filter(json: "{}") == Filter())
    #expect(Filter().description == "{}")
    #expect(Filter(kinds: []).description == #"{"kinds":[]}"#)
    #expect(try Filter(json: #" { "kinds" : [ 1 , 1 ] } "#) == Filter(kinds: [1]))
}

@Test(arguments: [
    (#"{"ids":["HEX"]}"#, #"{"ids":["HEX0"]}"#, "ids"), (#"{"ids":[]}"#, #"{"ids":"HEX"}"#, "ids"),
    (#"{"ids":["HEX"]}"#, #"{"ids":["0a0a"]}"#, "ids"), (#"{"ids":["HEX"]}"#, #"{"ids":[null]}"#, "ids"),
    (#"{"authors":["HEX"]}"#, #"{"authors":["0A"]}"#, "authors"),
    (#"{"authors":["HEX"]}"#, #"{"authors":null}"#, "authors"),
    (#"{"kinds":[65535]}"#, #"{"kinds":[65536]}"#, "kinds"), (#"{"kinds":[0]}"#, #"{"kinds":[-1]}"#, "kinds"),
    (#"{"kinds":[1]}"#, #"{"kinds":["1"]}"#, "kinds"), (#"{"kinds":[1]}"#, #"{"kinds":1}"#, "kinds"),
    (#"{"kinds":[1]}"#, #"{"kinds":[1.0]}"#, "kinds"), (#"{"since":1}"#, #"{"since":-1}"#, "since"),
    (#"{"since":1}"#, #"{"since":"1"}"#, "since"),
    (#"{"until":9007199254740991}"#, #"{"until":9007199254740992}"#, "until"),
    (#"{"limit":1}"#, #"{"limit":1.5}"#, "limit"), (#"{"limit":1}"#, #"{"limit":1e3}"#, "limit"),
    (#"{"search":""}"#, #"{"search":1}"#, "search"), (##"{"#t":["HEX"]}"##, ##"{"#t":"HEX"}"##, "#t"),
    (##"{"#t":[""]}"##, ##"{"#t":[1]}"##, "#t"), (##"{"#t":["a"]}"##, ##"{"#t":[["a"]]}"##, "#t"),
    (##"{"#e":["HEX"]}"##, ##"{"#e":["0a0a"]}"##, "#e"), (##"{"#p":["HEX"]}"##, ##"{"#p":["x"]}"##, "#p"),
    (##"{"#P":["x"]}"##, ##"{"#p":["x"]}"##, "#p"),
])
func aFieldOfAnotherTypeOrRangeIsRefusedInAFilter(good: String, bad: String, field: String) {
    #expect(problem(of: good.replacing("HEX", with: hex)) == nil)
    #expect(problem(of: bad.replacing("HEX", with: hex)) == .invalidFilter(.invalidField(field)))
}

@Test(arguments: ["id", "kind", "#", "#tt", "#1", "t", "&t", "", "KINDS", "#\u{212A}", "#é"])
func aConditionThatIsNotKnownIsRefusedInAFilter(name: String) {
    #expect(problem(of: "{\"\(name)\":[]}") == .invalidFilter(.unknownField(name)))
}

@Test func otherFiltersAreRefused() {
    #expect(problem(of: "[]") == .invalidFilter(.notAnObject))
    #expect(problem(of: "null") == .invalidFilter(.notAnObject))
    #expect(problem(of: #"{"kinds":[1],"kinds":[2]}"#) == .invalidFilter(.duplicateField("kinds")))
    #expect(problem(of: ##"{"#t":["a"],"\u0023t":["b"]}"##) == .invalidFilter(.duplicateField("#t")))
    #expect(problem(of: #"{"kinds":[1]}x"#) == .malformedJSON(.trailingBytes, at: 0))
    #expect(problem(of: #"{"kinds":[1,]}"#) == .malformedJSON(.invalidNumber, at: 0))
    #expect(problem(of: #"{"kinds":[1]"#) == .malformedJSON(.unexpectedEnd, at: 0))
    #expect(
        problem(of: "{\"\(String(repeating: "x", count: 100))\":1}")
            == .invalidFilter(.unknownField(String(repeating: "x", count: 32)))
    )
}

@Test func listsAndValuesOfAFilterAreBounded() {
    let limits = FilterLimits(values: 3, valueSize: 4)
    #expect(problem(of: #"{"kinds":[1,2,3]}"#, limits) == nil)
    #expect(problem(of: #"{"kinds":[1,1,1,1]}"#, limits) == .invalidFilter(.tooManyValues(limit: 3)))
    #expect(problem(of: ##"{"#t":["1","2","3","4"]}"##, limits) == .invalidFilter(.tooManyValues(limit: 3)))
    #expect(problem(of: ##"{"#t":["1234"]}"##, limits) == nil)
    #expect(problem(of: ##"{"#t":["12345"]}"##, limits) == .invalidFilter(.invalidField("#t")))
    #expect(problem(of: #"{"search":"12345"}"#, limits) == .invalidFilter(.invalidField("search")))
}

/// The definition of NIP-01 over plain strings, condition by condition.
private func naiveMatch(_ filter: Filter, _ event: WireEvent) -> Bool {
    let tags = event.tags.map(\.elements)
    if let ids = filter.ids, !ids.map(\.hex).contains(event.id.hex) { return false }
    if let authors = filter.authors, !authors.map(\.hex).contains(event.pubkey.hex) { return false }
    if let kinds = filter.kinds, !kinds.map(\.rawValue).contains(event.kind.rawValue) { return false }
    for (letter, values) in filter.tags {
        let wanted = values.map { Array($0.utf8) }
        let has = tags.contains { elements in
            elements.count > 1 && Array(elements[0].utf8) == [letter.ascii] && wanted.contains(Array(elements[1].utf8))
        }
        if !has { return false }
    }
    return event.createdAt >= filter.since ?? 0 && event.createdAt <= filter.until ?? .max
}

@Test func matchingAgreesWithTheDefinition() throws {
    var random = SeededGenerator(seed: 42)
    let keys = (0..<3).map { Bytes32(words: UInt64($0), 1, 2, 3) }
    let values = [
        "", "a", "\u{E9}", "e\u{301}", "a\nb", "/", String(repeating: "ab", count: 32), "b", "c", "d", "e", "f",
    ]
    let names = ["a", "A", "p", "e", "t", "title", "", "z"]
    let letters = names.compactMap { TagLetter($0) }

    func some<Element>(_ all: [Element], most: Int, least: Int = 0) -> [Element] {
        (0..<Int.random(in: least...most, using: &random)).compactMap { _ in all.randomElement(using: &random) }
    }
    let events = try (0..<150).map { _ in
        let tags = (0..<Int.random(in: 0..<6, using: &random)).compactMap { _ in
            Tag(elements: some(names, most: 1, least: 1) + some(values, most: 3))
        }
        let rumor = Rumor(
            pubkey: keys.randomElement(using: &random) ?? .zero,
            kind: Kind(rawValue: UInt16.random(in: 0..<3, using: &random)),
            content: "",
            tags: tags,
            createdAt: Int64.random(in: 0..<6, using: &random)
        )
        // Half of them with escapes that are not the canonical ones.
        var text = String(decoding: rumor.json, as: UTF8.self)
        if Bool.random(using: &random) {
            text = text.replacing("\"a\"", with: "\"\\u0061\"").replacing("/", with: "\\/")
        }
        return try WireEvent(json: text.dropLast() + ",\"sig\":\"" + String(repeating: "0", count: 128) + "\"}")
    }
    var wrong: [String] = []
    var matches = 0
    for _ in 0..<500 {
        var filter = Filter()
        if Int.random(in: 0..<5, using: &random) == 0 { filter.ids = Set(some(events, most: 40).map(\.id)) }
        if Bool.random(using: &random) { filter.authors = Set(some(keys, most: 2)) }
        if Bool.random(using: &random) { filter.kinds = Set(some([0, 1, 2], most: 3)) }
        if Bool.random(using: &random) { filter.since = Int64.random(in: 0..<6, using: &random) }
        if Bool.random(using: &random) { filter.until = Int64.random(in: 0..<6, using: &random) }
        if Bool.random(using: &random) { filter.limit = Int.random(in: 0..<2, using: &random) }
        if Bool.random(using: &random) { filter.search = "nothing has this" }
        for letter in some(letters, most: 2) { filter.tags[letter] = TagValues(some(values, most: 14)) }
        for event in events {
            let expected = naiveMatch(filter, event)
            if expected { matches += 1 }
            if filter.matches(event) != expected {
                wrong.append("\(filter) \(String(decoding: event.json, as: UTF8.self))")
            }
        }
    }
    #expect(wrong == [])
    #expect(matches > 1_000)
}

@Test func anIDThatBeginsTheSameDoesNotMatch() throws {
    let event = try Event(json: EventText().text)
    var other = event.id.bytes.array
    other[31] ^= 1
    #expect(Filter(ids: [event.id]).matches(event))
    #expect(!Filter(ids: [EventID(try Bytes32(other))]).matches(event))
}

@Test func severalFiltersMatchIfOneOfThemDoes() throws {
    let event = try Event(json: EventText().text)
    #expect([Filter(kinds: [7]), Filter(kinds: [1])].match(event))
    #expect(![Filter(kinds: [7]), Filter(kinds: [2])].match(event))
    #expect(![Filter]().match(event))
    #expect([Filter()].match(event.wire))
}

import NostrCrypto
import NostrEvents
import Testing

@Test func fieldsMayStandInAnyOrder() throws {
    let good = try EventText()
    let expected = try Event(json: good.text)
    var failures: [String] = []
    var count = 0

    func permute(_ chosen: [Int], _ rest: [Int]) {
        guard !rest.isEmpty else {
            count += 1
            var text = good
            text.fields = chosen.map { good.fields[$0] }
            guard let event = try? WireEvent(json: text.text), event.hasValidID, event.json == expected.json else {
                failures.append(text.text)
                return
            }
            return
        }
        for (index, field) in rest.enumerated() {
            var remaining = rest
            remaining.remove(at: index)
            permute(chosen + [field], remaining)
        }
    }
    permute([], Array(good.fields.indices))
    #expect(count == 5_040)
    #expect(failures == [])
}

@Test func whiteSpaceAndOtherSpellingsChangeNothing() throws {
    let good = try EventText()
    let expected = try Event(json: good.text)
    let spread = " \n{ " + good.fields.map { "\($0.key)\t:\r\n \($0.value) " }.joined(separator: " , ") + "}\r\n\t "
    #expect(try Event(json: spread).json == expected.json)

    let tag =
        "[ [\"e\" ,\"" + String(repeating: "ab", count: 32)
        + "\",\"wss:\\/\\/relay.\\u0065xample\"], [\"-\" ] ,[\"t\",\"\"]\n]"
    let respelled = good.with("tags", tag)
        .with("content", #""first line\u000asecond \u0022line\" \u005C \u00fC \uD83D\ude42 \u0001""#)
    #expect(try Event(json: respelled.text).json == expected.json)

    var escapedKeys = good
    escapedKeys.fields = good.fields.map { field in
        let letters = field.key.dropFirst().dropLast().unicodeScalars
        return ("\"" + letters.map { "\\u00" + String($0.value, radix: 16) }.joined() + "\"", field.value)
    }
    #expect(try Event(json: escapedKeys.text).json == expected.json)
}

@Test(arguments: [
    "null", "true", "-0.5e+3", "\"x\\ud83d\\ude42\"", "[]", "{}", "[[],{\"a\":[1,{}]}]", "{\"a\":1,\"a\":2}",
    String(repeating: "[", count: 63) + String(repeating: "]", count: 63),
])
func unknownKeysAreIgnored(value: String) throws {
    let good = try EventText()
    let expected = try Event(json: good.text)
    for key in ["ID", "ids", "conten", "contents", "created_au", "", "i", "sig2", "x\\\"id"] {
        let event = try Event(json: good.adding(key, value).text)
        #expect(event.json == expected.json)
    }
}

@Test(arguments: [
    ("nul", JSONProblem.unexpectedByte), ("+1", .invalidNumber), ("01", .invalidNumber), ("1.", .invalidNumber),
    (".5", .invalidNumber), ("1e", .invalidNumber), ("-", .invalidNumber), ("\"\\x\"", .invalidEscape),
    ("\"\\ud800\"", .loneSurrogate), ("[1,]", .invalidNumber), ("{\"a\"}", .unexpectedByte),
    ("{\"a\":1,}", .unexpectedByte),
    ("[1}", .unexpectedByte), ("{\"a\":1]", .unexpectedByte), ("\"\u{1}\"", .controlCharacter),
    (String(repeating: "[", count: 64) + String(repeating: "]", count: 64), .tooDeep),
])
func valuesOfUnknownKeysHaveToBeJSON(value: String, problem: JSONProblem) throws {
    let good = try EventText()
    var text = good.adding("other", value)
    text.fields.swapAt(2, 7)
    #expect(eventProblem(of: text.text) == .malformedJSON(problem, at: 0), "\(value)")
}

@Test func aFieldThatAppearsTwiceIsRefused() throws {
    let good = try EventText()
    for (index, field) in EventField.allCases.enumerated() {
        #expect(good.fields[index].key == "\"\(field.rawValue)\"")
        let twice = good.adding(field.rawValue, good.fields[index].value)
        #expect(eventProblem(of: twice.text) == .duplicateField(field))
        // Spelled with an escape it is the same key.
        let first = field.rawValue.unicodeScalars.first.map { "\\u00" + String($0.value, radix: 16) } ?? ""
        let escaped = good.adding(first + field.rawValue.dropFirst(), good.fields[index].value)
        #expect(eventProblem(of: escaped.text) == .duplicateField(field))
    }
}

@Test func aFieldThatIsMissingIsNamed() throws {
    let good = try EventText()
    for field in EventField.allCases {
        #expect(eventProblem(of: good.without(field.rawValue).text) == .missingField(field))
    }
    #expect(eventProblem(of: "{}") == .missingField(.id))
    #expect(eventProblem(of: good.text) == nil)
}

@Test(arguments: [
    ("created_at", "0", true), ("created_at", "9007199254740991", true), ("created_at", "9007199254740992", false),
    ("created_at", "18446744073709551616", false), ("created_at", String(repeating: "9", count: 5_000), false),
    ("created_at", "-1", false), ("created_at", "-0", false), ("created_at", "1.0", false),
    ("created_at", "1e9", false),
    ("created_at", "1E2", false), ("created_at", "\"1\"", false), ("created_at", "null", false),
    ("created_at", "[1]", false), ("kind", "0", true), ("kind", "65535", true), ("kind", "65536", false),
    ("kind", "-1", false), ("kind", "1.5", false), ("kind", "true", false), ("kind", "{}", false),
    ("tags", "[]", true), ("tags", "[[\"\"]]", true), ("tags", "[[\"a\",\"\",\"\"]]", true), ("tags", "{}", false),
    ("tags", "null", false), ("tags", "[\"a\"]", false), ("tags", "[[1]]", false), ("tags", "[[\"a\",null]]", false),
    ("tags", "[[[\"a\"]]]", false), ("content", "\"\"", true), ("content", "\"\\u0000\"", true),
    ("content", "null", false), ("content", "[\"a\"]", false), ("content", "5", false),
])
func aFieldOfAnotherTypeOrRangeIsRefused(field: String, value: String, isAccepted: Bool) throws {
    let text = try EventText().with(field, value).text
    let name = try #require(EventField(rawValue: field))
    #expect(eventProblem(of: text) == (isAccepted ? nil : .invalidField(name)), "\(value)")
}

@Test func hexadecimalIsOfTheRightLengthAndInLowerCase() throws {
    let good = try EventText()
    for (field, length) in [(EventField.id, 64), (.pubkey, 64), (.signature, 128)] {
        func with(_ digits: String) -> EventError? { eventProblem(of: good.with(field.rawValue, "\"\(digits)\"").text) }
        let digits = String(repeating: "0123456789abcdef", count: length / 16)
        #expect(with(digits) == nil)
        #expect(with(String(digits.dropLast())) == .invalidField(field))
        #expect(with(digits + "0") == .invalidField(field))
        #expect(with("") == .invalidField(field))
        #expect(with(digits.uppercased()) == .invalidField(field))
        #expect(with("\\u0030" + digits.dropFirst()) == .invalidField(field))
        var accepted: [String] = []
        for byte in UInt8(0x20)..<0x7F where !"0123456789abcdef\"\\".utf8.contains(byte) {
            for place in [0, 7, 8, length / 2, length - 1] {
                var changed = Array(digits.utf8)
                changed[place] = byte
                let text = String(decoding: changed, as: UTF8.self)
                if with(text) != .invalidField(field) { accepted.append(text) }
            }
        }
        #expect(accepted == [])
        #expect(with("é" + digits.dropFirst(2)) == .invalidField(field))
    }
}

@Test func aTagWithoutElementsIsRefused() throws {
    let good = try EventText()
    #expect(eventProblem(of: good.with("tags", "[[\"\"],[\"a\"]]").text) == nil)
    #expect(eventProblem(of: good.with("tags", "[[\"\"],[]]").text) == .emptyTag)
    #expect(eventProblem(of: good.with("tags", "[[ ]]").text) == .emptyTag)
}

@Test func onlyWhiteSpaceMayFollowAnEvent() throws {
    let good = try EventText().text
    #expect(eventProblem(of: good + " \n\t\r") == nil)
    for rest in ["x", ",", "}", "{}", "\u{0}", "\u{FEFF}", "[]"] {
        #expect(eventProblem(of: good + rest) == .malformedJSON(.trailingBytes, at: 0))
    }
    #expect(eventProblem(of: "\u{FEFF}" + good) == .malformedJSON(.unexpectedByte, at: 0))
    for text in ["[\(good)]", "\"x\"", "5", "null"] {
        #expect(eventProblem(of: text) == .malformedJSON(.unexpectedByte, at: 0))
    }
    #expect(eventProblem(of: "") == .malformedJSON(.unexpectedEnd, at: 0))
}

/// What is wrong with a text as an event; nil if nothing is.
private func eventProblem(of text: String) -> EventError? {
    do throws(EventError) {
        _ = try WireEvent(json: text)
        return nil
    } catch {
        return error.kindOfProblem
    }
}

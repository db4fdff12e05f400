import Foundation
import NostrEvents
import TestSupport
import Testing

/// `Foundation` has names that look alike.
private typealias Value = NostrEvents.JSONValue

@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence)))
struct JSONParsingCorpusTests {
    @Test func everyFileIsAcceptedOrRefusedAsItsNameSays() throws {
        let directory = OutsideVectors.directory.appendingPathComponent("json-parsing")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".json") }
        var wrong: [String] = []
        var counts = (accepted: 0, refused: 0, either: 0)
        for name in names.sorted() {
            let file = try FileHandle(forReadingFrom: directory.appendingPathComponent(name))
            // Data(contentsOf:) leaks its buffer for the file that is empty.
            let bytes = [UInt8](try file.readToEnd() ?? Data())
            try file.close()
            // RFC 8259 leaves keys that appear twice open, and the corpus counts them as right.
            let value = try? Value(json: bytes, limits: JSONLimits(allowsDuplicateKeys: true))
            let raw = try? RawJSON(json: bytes)
            if (value == nil) != (raw == nil) { wrong.append("\(name): skipping and reading differ") }
            if let value, try Value(json: value.json, limits: JSONLimits(allowsDuplicateKeys: true)) != value {
                wrong.append("\(name): does not read back")
            }
            // Inside of an event the values of unknown keys are held against the same rules.
            let wrapped = try Array(EventText().text.utf8.dropLast()) + Array(",\"x\":".utf8) + bytes + Array("}".utf8)
            if value != nil, (try? WireEvent(json: wrapped)) == nil { wrong.append("\(name): refused in an event") }
            switch name.prefix(2) {
            case "y_":
                counts.accepted += 1
                if value == nil { wrong.append(name) }
            case "n_":
                counts.refused += 1
                if value != nil { wrong.append(name) }
                if (try? WireEvent(json: wrapped)) != nil { wrong.append("\(name): accepted in an event") }
            default: counts.either += 1
            }
        }
        #expect(wrong == [])
        #expect(counts.accepted > 90)
        #expect(counts.refused > 180)
        #expect(counts.either > 30)
    }

    @Test(arguments: ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"])
    func keysThatAppearTwiceAreRefusedUnlessAskedFor(name: String) throws {
        let bytes = [UInt8](try OutsideVectors.data("json-parsing/\(name)"))
        #expect(throws: EventError.self) { try Value(json: bytes) }
        #expect(try Value(json: bytes, limits: JSONLimits(allowsDuplicateKeys: true)).object?.members.count == 2)
    }
}

@Test func valuesReadAndWriteBack() throws {
    let text = #"{"b":[1,-0,1.50,1e400,true,false,null,"x\n\u0001\"/"],"a":{"":{}},"é":"\u00e9"}"#
    let value = try Value(json: text)
    #expect(value.description == #"{"b":[1,-0,1.50,1e400,true,false,null,"x\n\u0001\"/"],"a":{"":{}},"é":"é"}"#)
    #expect(value["b"]?.array?[0].integer == 1)
    #expect(value["b"]?.array?[1].integer == 0)
    #expect(value["b"]?.array?[2].integer == nil)
    #expect(value["b"]?.array?[2].number?.double == 1.5)
    #expect(value["b"]?.array?[3].number?.double == .infinity)
    #expect(value["b"]?.array?[4].bool == true)
    #expect(value["b"]?.array?[7].string == "x\n\u{1}\"/")
    #expect(value["a"]?[""]?.object?.members.isEmpty == true)
    #expect(value == Value.object(JSONObject(value.object?.members.reversed() ?? [])))
}

@Test func nullAnAbsentKeyAndTheWordNullAreThreeThings() throws {
    let value = try Value(json: #"{"a":null,"b":"null"}"#)
    #expect(value["a"] == .some(.null))
    #expect(value["a"]?.isNull == true)
    #expect(value["b"] == "null")
    #expect(value["b"]?.isNull == false)
    #expect(value["c"] == nil)
    #expect(value["a"] != value["b"])
}

@Test func keysAndStringsAreComparedByteForByte() throws {
    let value = try Value(json: "{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value["\u{E9}"]?.integer == 1)
    #expect(value["e\u{301}"]?.integer == 2)
    #expect(Value.string("\u{E9}") != Value.string("e\u{301}"))
    #expect(throws: EventError.malformedJSON(.duplicateKey, at: 7)) { try Value(json: #"{"a":1,"\u0061":2}"#) }
}

@Test func membersAreSetInPlace() {
    var object = JSONObject()
    object["a"] = 1
    object["b"] = [true, nil]
    object["a"] = "x"
    #expect(Value.object(object).description == #"{"a":"x","b":[true,null]}"#)
    object["a"] = nil
    #expect(Value.object(object).description == #"{"b":[true,null]}"#)
    #expect(Value(dictionaryLiteral: ("k", 1), ("k", 2)).description == #"{"k":2}"#)
}

@Test func whatIsNotKnownIsKeptByteForByte() throws {
    let text = #"{ "known" : 1, "other": { "x" : [ 1.0 , "\u0041" ] } }"#
    let members = try #require(try RawJSON(json: Array(text.utf8)).members())
    #expect(members.map(\.key) == ["known", "other"])
    #expect(members[1].value.description == #"{ "x" : [ 1.0 , "\u0041" ] }"#)
    #expect(try members[1].value.value()["x"] == [JSONValue.number(try #require(JSONNumber(1.0))), "A"])
    #expect(try RawJSON(json: Array("[1]".utf8)).members()?.isEmpty == nil)
    #expect(throws: EventError.malformedJSON(.duplicateKey, at: 7)) {
        try RawJSON(json: Array(#"{"a":1,"a":2}"#.utf8)).members()
    }
    #expect(RawJSON(["a": 1] as JSONValue).description == #"{"a":1}"#)
}

@Test func numbersThatJSONLacksAreNotMade() {
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(0.1)?.text == "0.1")
    #expect(JSONNumber(Int64.min).integer == .min)
    #expect((try? Value(json: "9223372036854775808"))?.integer == nil)
}

@Test func aTextLargerThanTheLimitIsRefused() throws {
    #expect(throws: Never.self) { try Value(json: "[1]", limits: JSONLimits(size: 3)) }
    #expect(throws: EventError.malformedJSON(.tooLarge, at: 2)) { try Value(json: "[1]", limits: JSONLimits(size: 2)) }
    #expect(throws: EventError.malformedJSON(.tooLarge, at: 2)) {
        try RawJSON(json: Array("[1]".utf8), limits: JSONLimits(size: 2))
    }
}

import NostrCrypto
import NostrEvents
import TestSupport
import Testing

private let key = Bytes32.zero

private func reference(_ content: String, tags: [[String]] = [], createdAt: Int64 = 1, kind: UInt16 = 1) -> [UInt8] {
    Array(
        referenceSerialisation(
            pubkey: key.hex,
            createdAt: createdAt,
            kind: kind,
            tags: tags,
            content: content
        ).utf8
    )
}

@Test func everyScalarIsSerialisedAsNIP01Says() {
    var wrong: [UInt32] = []
    // 64 at a time in the content and each alone in a tag's value for the first 2,048, where all special ones are.
    var batch = String.UnicodeScalarView()
    for value in UInt32(0)...0x10FFFF {
        guard let scalar = Unicode.Scalar(value) else { continue }
        batch.append(scalar)
        if value < 2_048 {
            let tags = [["t", String(scalar)]]
            let rumor = Rumor(
                pubkey: key,
                kind: 1,
                content: String(scalar),
                tags: [Tag("t", String(scalar))],
                createdAt: 1
            )
            if rumor.canonicalBytes != reference(String(scalar), tags: tags) { wrong.append(value) }
        }
        guard batch.count == 64 || value == 0x10FFFF else { continue }
        let content = String(batch)
        let expected = reference(content)
        let rumor = Rumor(pubkey: key, kind: 1, content: content, createdAt: 1)
        if rumor.canonicalBytes != expected || rumor.id != EventID(SHA256.hash(expected)) { wrong.append(value) }
        batch = String.UnicodeScalarView()
    }
    #expect(wrong == [])
}

@Test(
    arguments: [0, 9, 10, 99, 100, 4_294_967_296, 999_999_999_999_999, 1_000_000_000_000_000, 9_007_199_254_740_991]
        as [Int64]
)
func numbersAreWrittenWithDigitsAlone(createdAt: Int64) {
    for kind: UInt16 in [0, 9, 10, 65_535] {
        let rumor = Rumor(pubkey: key, kind: Kind(rawValue: kind), content: "", createdAt: createdAt)
        #expect(rumor.canonicalBytes == reference("", createdAt: createdAt, kind: kind))
        #expect(rumor.id == EventID(SHA256.hash(rumor.canonicalBytes)))
    }
}

/// A string of pieces that are special somewhere, and one of the ways to write it in JSON.
private func randomString(_ random: inout SeededGenerator, canonical: Bool) -> (text: String, json: String) {
    let pieces: [Unicode.Scalar] = [
        "a", "Z", "/", "\"", "\\", "\n", "\t", "\r", "\u{8}", "\u{C}", "\u{0}", "\u{1F}", "\u{7F}", "é", "€", "🙂",
        "\u{2028}", "\u{301}",
    ]
    var text = ""
    var json = ""
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
        guard let scalar = pieces.randomElement(using: &random) else { continue }
        text.unicodeScalars.append(scalar)
        let quoted = String(decoding: JSONValue.string(String(scalar)).json, as: UTF8.self)
        let plain = String(quoted.unicodeScalars.dropFirst().dropLast())
        guard !canonical, Bool.random(using: &random) else {
            json.unicodeScalars.append(contentsOf: plain.unicodeScalars)
            continue
        }
        if scalar == "/" {
            json += "\\/"
        } else {
            for unit in String(scalar).utf16 {
                var digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                digits = String(repeating: "0", count: 4 - digits.count) + digits
                json += "\\u" + digits
            }
        }
    }
    return (text, "\"\(json)\"")
}

@Test(arguments: [true, false])
func hashingTheSourceGivesTheSameIDAsSerialisingAgain(canonical: Bool) throws {
    var random = SeededGenerator(seed: canonical ? 1 : 2)
    var wrong: [String] = []
    for round in 0..<3_000 {
        let content = randomString(&random, canonical: canonical)
        var tags: [[String]] = []
        var tagTexts: [String] = []
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let elements = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
                randomString(&random, canonical: canonical)
            }
            tags.append(elements.map(\.text))
            let space = !canonical && Bool.random(using: &random) ? " " : ""
            tagTexts.append("[" + elements.map(\.json).joined(separator: space + ",") + "]")
        }
        let json =
            #"{"pubkey":"\#(key)","created_at":\#(round),"kind":7,"tags":[\#(tagTexts.joined(separator: ","))],"content":\#(content.json)}"#
        let expected = reference(content.text, tags: tags, createdAt: Int64(round), kind: 7)
        let rumor = try Rumor(json: json)
        let isRight =
            rumor.canonicalBytes == expected && rumor.id == EventID(SHA256.hash(expected))
            && Array(rumor.content.utf8) == Array(content.text.utf8)
            && Array(rumor.tags) == tags.compactMap { Tag(elements: $0) }
        let again = try Rumor(json: rumor.json)
        if !isRight || again.canonicalBytes != expected || again.id != rumor.id { wrong.append(json) }
    }
    #expect(wrong == [])
}

@Test func tagsAreComparedByteForByte() {
    #expect(Tag("t", "\u{E9}") != Tag("t", "e\u{301}"))
    #expect(Tag("t", "\u{E9}") == Tag("t", "\u{E9}"))
    #expect(Tag("t") != Tag("t", ""))
    #expect(Tag(elements: []) == nil)
    #expect(Tag("K").letter?.description == "K")
    // The Kelvin sign looks the same to Swift's ==.
    #expect(Tag("\u{212A}").letter == nil)
    #expect(Tag("").letter == nil)
    #expect(Tag("ab").letter == nil)
    #expect(Tag("1").letter == nil)
}

@Test func tagsAreFoundByName() {
    let rumor = Rumor(
        pubkey: key,
        kind: 30_000,
        content: "",
        tags: [Tag("p"), Tag("d", "first"), Tag("p", "one", "x"), Tag("d", "second"), Tag("p", "two")],
        createdAt: 1
    )
    #expect(rumor.tags.identifier == "first")
    #expect(rumor.tags.values(named: "p") == ["one", "two"])
    #expect(rumor.tags.firstValue(named: "p") == "one")
    #expect(rumor.tags.first(named: "p") == Tag("p"))
    #expect(rumor.tags.first(named: "x") == nil)
    #expect(rumor.tags.map(\.name) == ["p", "d", "p", "d", "p"])
    #expect(Rumor(pubkey: key, kind: 30_000, content: "", createdAt: 1).tags.identifier == "")
    #expect(Rumor(pubkey: key, kind: 30_000, content: "", createdAt: 1).tags.isEmpty)
}

@Test func eventsOfEverySizeAreHashedWhole() throws {
    var wrong: [Int] = []
    for length in 0..<1_200 {
        let content = String(repeating: "x", count: length)
        let tags = [["t", String(repeating: "y", count: length % 7)]]
        let expected = EventID(SHA256.hash(reference(content, tags: tags)))
        let made = Rumor(
            pubkey: key,
            kind: 1,
            content: content,
            tags: tags.compactMap { Tag(elements: $0) },
            createdAt: 1
        )
        if made.id != expected { wrong.append(length) }
        if try Rumor(json: made.json).id != expected { wrong.append(length) }
    }
    #expect(wrong == [])
}

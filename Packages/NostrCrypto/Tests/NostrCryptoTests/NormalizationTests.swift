import TestSupport
import Testing

@testable import NostrCrypto

struct NormalizationTable: Decodable {
    let unicode: String
    let characters: Int
    let digest: String
    /// A text, its form KD and its form KC, as hexadecimal UTF-8.
    let texts: [[String]]
}

@Suite("Unicode normalisation")
struct NormalizationTests {
    let table: NormalizationTable

    init() throws {
        table = try Cases.table("normalization", of: "NostrCrypto")
    }

    @Test func textsInWhichMarksInteractComeOutRight() throws {
        #expect(table.texts.count == 240)
        var wrong: [String] = []
        for row in table.texts {
            let text = String(decoding: try Hex.decode(row[0]), as: UTF8.self)
            let decomposed = Normalization.compatibilityDecomposed(text).withUnsafeBytes { Hex.encode($0) }
            let composed = Normalization.compatibilityComposed(text).withUnsafeBytes { Hex.encode($0) }
            if [decomposed, composed] != Array(row[1...]) { wrong.append(row[0]) }
        }
        #expect(wrong == [])
    }

    /// Each character alone and between marks, in both forms, against one digest over all. Of the ideographs and syllables
    /// that are like their neighbours every 16th.
    @Test func everyCharacterComesOutRight() throws {
        let version = try #require(table.unicode.split(separator: ".").first.flatMap { Int($0) })
        let wanted = (0..<0x30000 as Range<UInt32>).filter {
            $0 < 0x3400 || (0xf900..<0x1f300).contains($0) || $0 >= 0x2f800 || $0 % 16 == 0
        }
        let scalars = wanted.compactMap(Unicode.Scalar.init).filter { scalar in
            guard let age = scalar.properties.age, age.major <= version else { return false }
            return ![.unassigned, .privateUse, .surrogate].contains(scalar.properties.generalCategory)
        }
        var digest = SHA256()
        for scalar in scalars {
            let text = "\(scalar) a\u{323}\(scalar)\u{301}\u{323}"
            Normalization.compatibilityDecomposed(text).withUnsafeBytes { digest.update($0) }
            Normalization.compatibilityComposed(text).withUnsafeBytes { digest.update($0) }
        }
        #expect(scalars.count == table.characters)
        #expect(digest.finalize().hex == table.digest)
    }

    @Test func textWithNothingToDoIsUnchanged() {
        for text in ["", "correct horse battery staple", "\u{e9}t\u{e9}", "\u{1f9a9}"] {
            #expect(Normalization.compatibilityComposed(text) == SecretBytes(text.utf8))
        }
    }
}

import Foundation
import NostrCrypto
import TestSupport
import Testing

/// The vectors are about points with both coordinates in an ASN.1 wrapping. A Nostr key is the x coordinate alone, which
/// gives the same shared x whichever y belongs to it; so what applies are the rows in the usual wrapping, and of those that
/// must be refused the ones whose x belongs to no point.
@Suite(
    "ECDH against Wycheproof",
    .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence))
)
struct WycheproofECDHTests {
    struct File: Decodable {
        struct Group: Decodable {
            let tests: [Row]
        }
        struct Row: Decodable {
            let tcId: Int
            let `public`: String
            let `private`: String
            let shared: String
            let result: String
        }
        let testGroups: [Group]
    }

    /// The coordinate in a SubjectPublicKeyInfo of secp256k1, with an uncompressed or a compressed point.
    static func coordinate(_ wrapped: String) -> String? {
        let uncompressed = "3056301006072a8648ce3d020106052b8104000a03420004"
        let compressed = "3036301006072a8648ce3d020106052b8104000a032200"
        if wrapped.hasPrefix(uncompressed), wrapped.utf8.count == 176 {
            return String(wrapped.dropFirst(uncompressed.utf8.count).prefix(64))
        }
        if wrapped.hasPrefix(compressed), wrapped.utf8.count == 112 {
            return String(wrapped.dropFirst(compressed.utf8.count + 2))
        }
        return nil
    }

    @Test func everyRowThatAppliesIsAnsweredAsStated() throws {
        let file = try JSONDecoder().decode(File.self, from: OutsideVectors.data("wycheproof_ecdh_secp256k1_test.json"))
        var (agreed, refused, unknowable) = (0, 0, 0)
        var wrong: [Int] = []
        for row in file.testGroups.flatMap(\.tests) {
            guard let x = Self.coordinate(row.public) else { continue }
            guard let other = try? PublicKey(hex: x) else {
                refused += 1
                if row.result != "invalid" { wrong.append(row.tcId) }
                continue
            }
            if row.result == "invalid" {
                // Only y is wrong, and no y reaches us.
                unknowable += 1
                continue
            }
            let digits = String(repeating: "0", count: 64) + row.private
            let shared = try SecretKey(hex: String(digits.suffix(64))).sharedX(with: other)
            if NIP06Tests.hex(shared) == row.shared { agreed += 1 } else { wrong.append(row.tcId) }
        }
        #expect(wrong == [])
        #expect(agreed == 475)
        #expect(refused == 16)
        #expect(unknowable == 5)
    }
}

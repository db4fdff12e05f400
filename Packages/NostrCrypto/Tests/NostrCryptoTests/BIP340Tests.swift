import Foundation
import NostrCrypto
import TestSupport
import Testing

/// One row of `bip340.csv`.
struct BIP340Row: CustomTestStringConvertible, Sendable {
    let fields: [String]

    var index: String { fields[0] }
    var secretKey: String { fields[1].lowercased() }
    var publicKey: String { fields[2].lowercased() }
    var auxiliary: String { fields[3].lowercased() }
    var message: String { fields[4].lowercased() }
    var signature: String { fields[5].lowercased() }
    var isValid: Bool { fields[6] == "TRUE" }
    var testDescription: String { "row \(index) \(fields[7])" }

    static let all: [BIP340Row] = {
        guard let data = try? OutsideVectors.data("bip340.csv") else { return [] }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map { line in
            BIP340Row(
                fields: line.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false).map(String.init)
            )
        }
    }()
}

@Suite("BIP-340 vectors", .enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.absence)))
struct BIP340Tests {
    @Test func theTableHasBothKindsOfRows() {
        #expect(BIP340Row.all.count == 19)
        #expect(BIP340Row.all.filter(\.isValid).count == 9)
        #expect(BIP340Row.all.filter { !$0.secretKey.isEmpty }.count == 8)
    }

    @Test(arguments: BIP340Row.all)
    func verifies(row: BIP340Row) throws {
        let x = try Bytes32(hex: row.publicKey)
        let message = try Hex.decode(row.message)
        let signature = try Signature(hex: row.signature)
        let isValid = (try? PublicKey(x))?.verify(signature, message: message) ?? false
        #expect(isValid == row.isValid)
        if let digest = try? Bytes32(message), let key = try? PublicKey(x) {
            #expect(key.verify(signature, digest: digest) == row.isValid)
        }
    }

    @Test(arguments: BIP340Row.all.filter { !$0.secretKey.isEmpty })
    func signs(row: BIP340Row) throws {
        let pair = KeyPair(try SecretKey(hex: row.secretKey))
        let message = try Hex.decode(row.message)
        let auxiliary = try Bytes32(hex: row.auxiliary)
        #expect(pair.publicKey.hex == row.publicKey)
        #expect(pair.sign(message: message, auxiliary: auxiliary).hex == row.signature)
        if let digest = try? Bytes32(message) {
            #expect(pair.sign(digest, auxiliary: auxiliary).hex == row.signature)
        }
    }
}

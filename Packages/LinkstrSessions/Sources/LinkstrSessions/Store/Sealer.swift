import NostrCrypto

/// Seals values so that each opens in its own table, column and row alone: see `ContextSealer`.
final class Sealer {
    /// What is sealed, by table and column.
    enum Column: String {
        case keyCheck = "meta.key_check"
        case person = "person.sealed"
        case pin = "session.pin"
        case tombstone = "session.tombstone"
        case fact = "fact.sealed"
        case seal = "seal.sealed"
    }

    private let sealer: ContextSealer
    private var nonces: [UInt8] = []

    /// - Parameter dataKey: 32 bytes.
    init(dataKey: SecretBytes) throws(SessionStoreError) {
        guard let sealer = try? ContextSealer(dataKey: dataKey, purpose: "linkstr sessions") else { throw .invalidKey }
        self.sealer = sealer
    }

    /// - Throws: `CryptoError` when the cipher fails.
    func seal(_ plaintext: [UInt8], _ column: Column, row: Int64) throws(CryptoError) -> [UInt8] {
        try sealer.seal(plaintext, context: Self.context(column, row), nonce: takeNonce())
    }

    /// The plaintext, or nil where the value was sealed for another place or under another key, or was changed.
    func open(_ sealed: [UInt8], _ column: Column, row: Int64) -> [UInt8]? {
        sealer.open(sealed, context: Self.context(column, row))
    }

    /// What stands for a public key in an index, so that a list of known keys does not tell who is a member: 16 bytes.
    func lookup(_ person: Bytes32) -> [UInt8] {
        Array(sealer.code(for: person.array).array.prefix(16))
    }

    /// 64 bits that nobody outside can aim at.
    func hash(_ parts: [UInt8]) -> Int64 {
        Int64(bitPattern: sealer.code(for: parts).words.0)
    }

    private static func context(_ column: Column, _ row: Int64) -> [UInt8] {
        var context = Array(column.rawValue.utf8)
        context.append(0)
        withUnsafeBytes(of: row.littleEndian) { context.append(contentsOf: $0) }
        return context
    }

    /// Random nonces, drawn many at a time.
    private func takeNonce() -> [UInt8] {
        if nonces.isEmpty { nonces = SecureRandom.bytes(256 * AESGCM.nonceCount) }
        let nonce = Array(nonces.suffix(AESGCM.nonceCount))
        nonces.removeLast(AESGCM.nonceCount)
        return nonce
    }
}

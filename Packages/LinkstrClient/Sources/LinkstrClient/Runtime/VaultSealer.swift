import LinkstrSessions
import NostrCrypto
import SQLite

/// Seals values so that each opens in its own column and row alone: see `ContextSealer`.
struct VaultSealer: Sendable {
    private let sealer: ContextSealer

    /// - Parameter dataKey: 32 bytes; nil for any other number.
    init?(dataKey: SecretBytes) {
        guard let sealer = try? ContextSealer(dataKey: dataKey, purpose: "linkstr client") else { return nil }
        self.sealer = sealer
    }

    /// - Throws: ``CryptoError`` when the cipher fails.
    func seal(_ plaintext: [UInt8], _ column: String, _ row: String) throws(CryptoError) -> [UInt8] {
        try sealer.seal(plaintext, context: Self.context(column, row))
    }

    /// The plaintext, or nil where the value was sealed for another place or under another key, or was changed.
    func open(_ sealed: [UInt8], _ column: String, _ row: String) -> [UInt8]? {
        sealer.open(sealed, context: Self.context(column, row))
    }

    /// - Throws: ``SessionStoreError/database(_:)`` where the value does not open; it is left as it is.
    func opened(_ sealed: [UInt8], _ column: String, _ row: String) throws(SessionStoreError) -> [UInt8] {
        guard let bytes = open(sealed, column, row) else {
            throw .database(.unreadableValue(column: column, wanted: "a sealed value of this account"))
        }
        return bytes
    }

    /// What stands for a set of keys in an index, so that a list of known keys does not tell who writes to whom: 16 bytes.
    func lookup(_ bytes: [UInt8]) -> [UInt8] {
        Array(sealer.code(for: bytes).array.prefix(16))
    }

    private static func context(_ column: String, _ row: String) -> [UInt8] {
        Array(column.utf8) + [0] + Array(row.utf8)
    }
}

import NostrCrypto

/// A file under a passphrase: scrypt makes the key, XChaCha20-Poly1305 seals pieces of up to a mebibyte. Each piece is bound to its place
/// and the last one says that it is, so that nothing can be left out, swapped or appended.
///
/// | bytes | meaning |
/// |---|---|
/// | 17 | `linkstr export 1` and a line feed |
/// | 1 | the base-2 logarithm of scrypt's cost; r is 8, p is 1 |
/// | 16 | salt |
/// | 20 | the beginning of every nonce; four bytes of the piece's number follow, the first is 0 |
/// | 4, n | each piece: its length, and so many bytes; what is authenticated with it is the header and a byte, 1 for the last |
///
/// Numbers are big-endian.
enum SealedFile {
    private static let magic = Array("linkstr export 1\n".utf8)
    private static let saltCount = 16
    private static let prefixCount = 20
    private static let pieceSize = 1 << 20
    /// A tenth of a second or two, and 64 MB.
    static let logN = 16
    /// What a file may ask for: a quarter of a gigabyte.
    private static let highestLogN = 18

    /// Why a file does not open.
    enum Problem: Error {
        case notAnExport
        case newerVersion
        case wrongPassphraseOrDamaged
        case tooExpensive
        case cipher(CryptoError)
    }

    static func seal(_ text: [UInt8], passphrase: String, logN: Int, random: RandomSource) throws(Problem) -> [UInt8] {
        let salt = random.bytes(saltCount)
        let prefix = random.bytes(prefixCount)
        let header = magic + [UInt8(clamping: logN)] + salt + prefix
        var file = header
        do throws(CryptoError) {
            let key = try derive(passphrase, salt, logN)
            var index: UInt32 = 0
            var start = 0
            repeat {
                let end = min(start + pieceSize, text.count)
                let isLast = end == text.count
                let piece = try key.withUnsafeBytes { key throws(CryptoError) in
                    try XChaCha20Poly1305.seal(
                        Array(text[start..<end]),
                        key: Array(key),
                        nonce: prefix + index.bytes,
                        authenticating: header + [isLast ? 1 : 0]
                    )
                }
                file += UInt32(clamping: piece.count).bytes
                file += piece
                start = end
                index += 1
            } while start < text.count
        } catch {
            throw .cipher(error)
        }
        return file
    }

    static func open(_ file: [UInt8], passphrase: String) throws(Problem) -> [UInt8] {
        let headerCount = magic.count + 1 + saltCount + prefixCount
        guard file.count > headerCount, file.starts(with: magic.dropLast(2)) else { throw .notAnExport }
        guard file.starts(with: magic) else { throw .newerVersion }
        let header = Array(file[..<headerCount])
        let logN = Int(file[magic.count])
        guard (1...highestLogN).contains(logN) else { throw .tooExpensive }
        let salt = Array(header[(magic.count + 1)..<(magic.count + 1 + saltCount)])
        let prefix = Array(header.suffix(prefixCount))
        let key: SecretBytes
        do throws(CryptoError) { key = try derive(passphrase, salt, logN) } catch { throw .cipher(error) }
        var text: [UInt8] = []
        var rest = file[headerCount...]
        var index: UInt32 = 0
        while true {
            guard rest.count > 4 else { throw .wrongPassphraseOrDamaged }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= pieceSize + XChaCha20Poly1305.tagCount, rest.count >= count else {
                throw .wrongPassphraseOrDamaged
            }
            let isLast = rest.count == count
            let piece = Array(rest.prefix(count))
            let opened = key.withUnsafeBytes { key in
                try? XChaCha20Poly1305.open(
                    piece,
                    key: Array(key),
                    nonce: prefix + index.bytes,
                    authenticating: header + [isLast ? 1 : 0]
                )
            }
            guard let opened, index < .max else { throw .wrongPassphraseOrDamaged }
            text += opened
            if isLast { return text }
            rest = rest.dropFirst(count)
            index += 1
        }
    }

    private static func derive(_ passphrase: String, _ salt: [UInt8], _ logN: Int) throws(CryptoError) -> SecretBytes {
        try Scrypt.derive(password: Array(passphrase.utf8), salt: salt, logN: logN, memoryCeiling: 512 << 20)
    }
}

extension UInt32 {
    /// Big-endian.
    fileprivate var bytes: [UInt8] {
        [
            UInt8(truncatingIfNeeded: self >> 24), UInt8(truncatingIfNeeded: self >> 16),
            UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self),
        ]
    }
}

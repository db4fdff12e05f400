import NostrCrypto

extension FuzzTarget {
    static let crypto: [FuzzTarget] = [
        FuzzTarget(name: "nip44-payload") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            _ = try? NIP44.decrypt(text, with: conversation)
        },
        // A fuzzer does not find a MAC itself: these bytes become the padded plaintext of a payload whose MAC is right.
        FuzzTarget(name: "nip44-padding") { bytes in
            guard let payload = payload(padded: [UInt8](bytes)) else { return }
            guard let plain = try? NIP44.decryptBytes(payload, with: conversation) else { return }
            let prefix = plain.count < 65_536 ? 2 : 6
            precondition(bytes.count == prefix + NIP44.paddedLength(plain.count), "a wrong padding was accepted")
            precondition(plain.elementsEqual(bytes[prefix..<(prefix + plain.count)]))
        },
        FuzzTarget(name: "nip49") { bytes in
            // A right checksum around the bytes, and a cost that a fuzzer can pay.
            guard let text = try? Bech32.encode(hrp: "ncryptsec", data: [UInt8](bytes), limit: 400) else { return }
            _ = try? NIP49.decrypt(text, passphrase: "fuzz", maximumLogN: 4)
            _ = try? NIP49.logN(of: text)
        },
        FuzzTarget(name: "bech32") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            guard let decoded = try? Bech32.decode(text) else { return }
            let again = try? Bech32.encode(
                hrp: decoded.humanReadablePart,
                data: decoded.data,
                variant: decoded.variant
            )
            precondition(again == text.lowercased(), "what is read is written differently")
        },
        FuzzTarget(name: "base64") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let decoded = try? Base64.decode(text) else {
                return
            }
            precondition(Base64.encode(decoded) == text, "another spelling of the same bytes was accepted")
        },
        FuzzTarget(name: "words") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            _ = try? Mnemonic(phrase: text)
        },
    ]

    private static let conversationBytes = [UInt8](repeating: 7, count: 32)
    private static let conversation: ConversationKey = {
        guard let key = try? ConversationKey(bytes: conversationBytes) else {
            preconditionFailure("32 bytes are a key")
        }
        return key
    }()

    private static func payload(padded: [UInt8]) -> String? {
        let nonce = [UInt8](repeating: 9, count: 32)
        guard
            let keys = try? HKDF.expand(pseudorandomKey: conversationBytes, info: nonce, count: 76),
            let ciphertext = try? ChaCha20.apply(to: padded, key: Array(keys[..<32]), nonce: Array(keys[32..<44]))
        else { return nil }
        let code = (nonce + ciphertext).withUnsafeBytes { HMACSHA256(key: Array(keys[44...])).code(for: $0) }
        return Base64.encode([2] + nonce + ciphertext + code.array)
    }
}

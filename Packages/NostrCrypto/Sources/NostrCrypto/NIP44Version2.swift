extension NIP44 {
    /// Version 2 of the content: `version (1) ‖ nonce (32) ‖ ciphertext ‖ MAC (32)`.
    enum Version2 {
        static let number: UInt8 = 2
        /// All but the ciphertext.
        static let overhead = 65

        private static let nonceRange = 1..<33

        /// What one message needs. It stays in one place, and is zeroised at the end.
        private struct Scratch: BitwiseCopyable {
            var hmac = HMACScratch()
            var pads = HMACPads()
            var keys = MessageKeys()
        }

        /// Makes a payload of `textCount` characters at the start of `memory`: the content is built and encrypted where the
        /// text will end, and then encoded from the beginning. More memory behind it makes encrypting faster.
        static func seal(
            _ plaintext: UnsafeRawBufferPointer,
            with key: ConversationKey,
            random: RandomSource,
            into memory: UnsafeMutableRawBufferPointer,
            textCount: Int
        ) throws(CryptoError) {
            let count = contentCount(plaintext.count)
            let text = UnsafeMutableRawBufferPointer(rebasing: memory[..<textCount])
            let content = UnsafeMutableRawBufferPointer(rebasing: text[(text.count - count)...])
            content[0] = number
            let nonce = UnsafeMutableRawBufferPointer(rebasing: content[nonceRange])
            random.fill(nonce)
            let ciphertext = UnsafeMutableRawBufferPointer(rebasing: content[33..<count - 32])
            pad(plaintext, into: ciphertext)
            try withKeys(key, nonce: try Bytes32(UnsafeRawBufferPointer(nonce))) { scratch throws(CryptoError) in
                try scratch.keys.encrypt(memory, from: textCount - count + 33, count: ciphertext.count)
                scratch.keys.authenticate(
                    UnsafeRawBufferPointer(rebasing: content[1..<count - 32]),
                    &scratch.pads,
                    &scratch.hmac
                )
                withUnsafeBytes(of: scratch.hmac.digest) {
                    UnsafeMutableRawBufferPointer(rebasing: content[(count - 32)...]).copyMemory(from: $0)
                }
            }
            Base64.encode(UnsafeRawBufferPointer(content), into: text)
        }

        /// Checks and decrypts the content in the first `count` bytes of `memory`, at least 99, in place and returns where
        /// in it the plaintext is. More memory behind it makes decrypting faster.
        static func open(
            _ memory: UnsafeMutableRawBufferPointer,
            count: Int,
            with key: ConversationKey,
            _ limits: Limits
        ) throws(CryptoError) -> Range<Int> {
            let content = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
            let macStart = content.count - 32
            let mac = UnsafeRawBufferPointer(rebasing: content[macStart...])
            let nonce = UnsafeRawBufferPointer(rebasing: content[nonceRange])
            try withKeys(key, nonce: try Bytes32(nonce)) { scratch throws(CryptoError) in
                scratch.keys.authenticate(
                    UnsafeRawBufferPointer(rebasing: content[1..<macStart]),
                    &scratch.pads,
                    &scratch.hmac
                )
                let isAuthentic = withUnsafeBytes(of: scratch.hmac.digest) { constantTimeEquals($0, mac) }
                guard isAuthentic else { throw .nip44(.wrongMAC) }
                // The MAC has been read: what follows the ciphertext may be overwritten.
                try scratch.keys.encrypt(memory, from: 33, count: macStart - 33)
            }
            do throws(CryptoError) {
                let range = try unpad(UnsafeRawBufferPointer(rebasing: content[33..<macStart]), limits)
                return range.lowerBound + 33..<range.upperBound + 33
            } catch {
                zeroise(content)
                throw error
            }
        }

        private static func withKeys(
            _ key: ConversationKey,
            nonce: Bytes32,
            _ body: (inout Scratch) throws(CryptoError) -> Void
        ) throws(CryptoError) {
            var scratch = Scratch()
            defer { withUnsafeMutableBytes(of: &scratch) { zeroise($0) } }
            key.expand(nonce: nonce, into: &scratch.keys, &scratch.hmac)
            try body(&scratch)
        }

        /// Length, plaintext and zeros, filling `padded`.
        private static func pad(_ plaintext: UnsafeRawBufferPointer, into padded: UnsafeMutableRawBufferPointer) {
            let prefix = prefixCount(plaintext.count)
            if prefix == 2 {
                padded.storeBytes(of: UInt16(truncatingIfNeeded: plaintext.count).bigEndian, as: UInt16.self)
            } else {
                padded.storeBytes(of: 0, as: UInt16.self)
                padded.storeBytes(
                    of: UInt32(truncatingIfNeeded: plaintext.count).bigEndian,
                    toByteOffset: 2,
                    as: UInt32.self
                )
            }
            UnsafeMutableRawBufferPointer(rebasing: padded[prefix...]).copyMemory(from: plaintext)
            UnsafeMutableRawBufferPointer(rebasing: padded[(prefix + plaintext.count)...])
                .initializeMemory(as: UInt8.self, repeating: 0)
        }

        /// Where in `padded`, of at least 34 bytes, the plaintext is.
        private static func unpad(
            _ padded: UnsafeRawBufferPointer,
            _ limits: Limits
        ) throws(CryptoError) -> Range<Int> {
            var count = Int(UInt16(bigEndian: padded.loadUnaligned(as: UInt16.self)))
            if count == 0 {
                count = Int(UInt32(bigEndian: padded.loadUnaligned(fromByteOffset: 2, as: UInt32.self)))
                guard count >= extendedLength else { throw .nip44(.wrongPadding) }
            }
            let prefix = prefixCount(count)
            guard padded.count == prefix + paddedLength(count) else { throw .nip44(.wrongPadding) }
            let maximum = limits.effectiveMaximum
            guard count <= maximum else { throw .nip44(.plaintextTooLong(maximum: maximum)) }
            return prefix..<prefix + count
        }
    }

    /// The keys of one message (NIP-44, encryption step 3): three digests, the first 76 bytes of which are used.
    struct MessageKeys: BitwiseCopyable {
        var first = Bytes32.zero
        var second = Bytes32.zero
        var third = Bytes32.zero

        static let cipherKey = 0..<32
        static let cipherNonce = 32..<44
        static let authenticationKey = 44..<76

        /// ChaCha20 from block 0, which also decrypts.
        ///
        /// A ciphertext is never whole blocks, and OpenSSL makes a second, as expensive call for the part of a block. So
        /// the last block is processed whole where there is room for it, and what follows `count` bytes is spoilt.
        mutating func encrypt(
            _ memory: UnsafeMutableRawBufferPointer,
            from start: Int,
            count: Int
        ) throws(CryptoError) {
            let whole = (count + 63) / 64 * 64
            let bytes = memory[start..<start + (start + whole <= memory.count ? whole : count)]
            try withUnsafeBytes(of: &self) { keys throws(CryptoError) in
                guard let key = keys.baseAddress else { throw .libraryFailure }
                try ChaCha20.applyInPlace(
                    to: UnsafeMutableRawBufferPointer(rebasing: bytes),
                    key: key,
                    nonce: key + MessageKeys.cipherNonce.lowerBound
                )
            }
        }

        /// Leaves the HMAC of nonce and ciphertext in `scratch`.
        mutating func authenticate(
            _ bytes: UnsafeRawBufferPointer,
            _ pads: inout HMACPads,
            _ scratch: inout HMACScratch
        ) {
            withUnsafeBytes(of: &self) { keys in
                HMACPads.prepare(&pads, key: UnsafeRawBufferPointer(rebasing: keys[MessageKeys.authenticationKey]))
            }
            scratch.code(&pads, bytes)
        }
    }
}

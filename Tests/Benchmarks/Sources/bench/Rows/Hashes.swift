import COpenSSL
import NostrCrypto

func hashBenchmarks() -> [Benchmark] {
    [
        Benchmark(
            name: "SHA-256",
            sizes: [400, 16 << 10],
            targets: [.ratio(0.95, to: "SHA256_*"), .allocations(0)]
        ) { size in
            let bytes = SecureRandom.bytes(size)
            var output = [UInt8](repeating: 0, count: 32)
            return .init(
                floors: [
                    (
                        "SHA256_*",
                        {
                            var state = SHA256_CTX()
                            SHA256_Init(&state)
                            SHA256_Update(&state, bytes, size)
                            SHA256_Final(&output, &state)
                            keep(output)
                        }
                    )
                ],
                work: { keep(SHA256.hash(bytes)) }
            )
        },
        Benchmark(
            name: "HMAC, key prepared",
            sizes: [64, 16 << 10],
            targets: [.ratio(0.9, to: "SHA256_*"), .allocations(0)]
        ) { size in
            let bytes = SecureRandom.bytes(size)
            let key = SecureRandom.bytes(32)
            let raw = RawHMAC(key: key, count: 32)
            let hmac = HMACSHA256(key: key)
            var output = [UInt8](repeating: 0, count: 32)
            return .init(
                floors: [("SHA256_*", { raw.code(bytes, size, into: &output) })],
                work: { keep(hmac.code(for: bytes)) }
            )
        },
        Benchmark(
            name: "HKDF-expand to 76 bytes",
            sizes: [76],
            targets: [.ratio(0.8, to: "SHA256_*"), .allocations(1)]
        ) { size in
            let key = SecureRandom.bytes(32)
            let info = SecureRandom.bytes(32)
            var output = [UInt8](repeating: 0, count: 96)
            return .init(
                floors: [("SHA256_*", { RawHMAC(key: key, count: 32).expand(info, into: &output) })],
                work: { keep(try? HKDF.expand(pseudorandomKey: key, info: info, count: size)) }
            )
        },
        Benchmark(
            name: "Base64 decode",
            sizes: [1400, 1 << 20],
            targets: [.ratio(1, to: "EVP_DecodeBlock")]
        ) { size in
            let text = Array(Base64.encode(SecureRandom.bytes(size / 4 * 3)).utf8)
            var output = [UInt8](repeating: 0, count: size)
            return .init(
                floors: [("EVP_DecodeBlock", { keep(EVP_DecodeBlock(&output, text, Int32(text.count))) })],
                work: {
                    text.withUnsafeBytes { text in
                        output.withUnsafeMutableBytes { keep(Base64.decode(text, into: $0)) }
                    }
                }
            )
        },
        Benchmark(
            name: "Base64 encode",
            sizes: [1400, 1 << 20],
            targets: [.ratio(1, to: "EVP_EncodeBlock")]
        ) { size in
            let bytes = SecureRandom.bytes(size / 3 * 3)
            var output = [UInt8](repeating: 0, count: Base64.encodedCount(bytes.count) + 1)
            return .init(
                floors: [("EVP_EncodeBlock", { keep(EVP_EncodeBlock(&output, bytes, Int32(bytes.count))) })],
                work: {
                    bytes.withUnsafeBytes { bytes in
                        output.withUnsafeMutableBytes {
                            Base64.encode(bytes, into: UnsafeMutableRawBufferPointer(rebasing: $0.dropLast()))
                        }
                    }
                }
            )
        },
    ]
}

import CSecp256k1
import NostrCrypto

func keyBenchmarks() -> [Benchmark] {
    [
        Benchmark(
            name: "sign a digest",
            sizes: [32],
            targets: [.ratio(0.95, to: "schnorrsig_sign32"), .allocations(0)]
        ) { _ in
            var raw = RawKeys()
            let pair = KeyPair(try SecretKey(bytes: raw.secret))
            let digest = try Bytes32(raw.digest)
            var signature = [UInt8](repeating: 0, count: 64)
            var auxiliary = [UInt8](repeating: 0, count: 32)
            return .init(
                floors: [
                    (
                        "schnorrsig_sign32",
                        {
                            auxiliary.withUnsafeMutableBytes { SecureRandom.fill($0) }
                            keep(secp256k1_schnorrsig_sign32(raw.context, &signature, raw.digest, &raw.pair, auxiliary))
                        }
                    )
                ],
                work: { keep(pair.sign(digest)) }
            )
        },
        Benchmark(
            name: "verify a digest",
            sizes: [32],
            targets: [.ratio(0.97, to: "xonly_parse + verify"), .allocations(0)]
        ) { _ in
            let raw = RawKeys()
            let pair = KeyPair(try SecretKey(bytes: raw.secret))
            let digest = try Bytes32(raw.digest)
            let signature = pair.sign(digest)
            let (x, bytes) = (pair.publicKey.bytes, signature.withUnsafeBytes { [UInt8]($0) })
            let rawX = x.array
            return .init(
                floors: [
                    (
                        "xonly_parse + verify",
                        {
                            var key = secp256k1_xonly_pubkey()
                            keep(secp256k1_xonly_pubkey_parse(raw.context, &key, rawX))
                            keep(secp256k1_schnorrsig_verify(raw.context, bytes, raw.digest, 32, &key))
                        }
                    )
                ],
                work: { keep((try? PublicKey(x))?.verify(signature, digest: digest)) }
            )
        },
        exchange("ECDH") { keep($0.sharedX(with: $1)) },
        exchange("conversation key") { keep(ConversationKey($0, $1)) },
    ]
}

/// Work with a secret key and the public key of another, beside the agreement of the library below.
private func exchange(_ name: String, _ work: @escaping (SecretKey, PublicKey) -> Void) -> Benchmark {
    Benchmark(
        name: name,
        sizes: [32],
        targets: [.ratio(0.95, to: "secp256k1_ecdh")]
    ) { _ in
        var raw = RawKeys()
        let secret = try SecretKey(bytes: raw.secret)
        let other = raw.otherKeys.publicKey
        var output = [UInt8](repeating: 0, count: 32)
        return .init(
            floors: [
                ("secp256k1_ecdh", { keep(secp256k1_ecdh(raw.context, &output, &raw.other, raw.secret, nil, nil)) })
            ],
            work: { work(secret, other) }
        )
    }
}

import NostrCrypto

private struct Prepared {
    let key: ConversationKey
    let text: String
    let payload: String
    let floor: NIP44Floor

    init(_ size: Int) throws {
        let bytes = SecureRandom.bytes(32)
        key = try ConversationKey(bytes: bytes)
        text = String(repeating: "a message of the usual letters. ", count: size / 32)
        payload = try NIP44.encrypt(text, with: key)
        floor = try NIP44Floor(payload: payload, conversationKey: bytes)
    }
}

private let targets: [Benchmark.Target] = [
    .ratio(1.5, to: "EVP calls, fetched", at: 1 << 10), .ratio(0.8, to: "best raw calls", at: 1 << 10),
    .megabytesPerSecond(350, at: 1 << 20), .allocations(1),
]

func nip44Benchmarks() -> [Benchmark] {
    [
        Benchmark(name: "NIP-44 decrypt", sizes: [64, 1 << 10, 16 << 10, 1 << 20], targets: targets) { size in
            let prepared = try Prepared(size)
            return .init(
                floors: [
                    ("EVP calls, fetched", { prepared.floor.decryptByEVP() }),
                    ("best raw calls", { prepared.floor.decryptByBestCalls() }),
                ],
                work: { keep(try? NIP44.decrypt(prepared.payload, with: prepared.key)) }
            )
        },
        Benchmark(name: "NIP-44 encrypt", sizes: [64, 1 << 10, 16 << 10, 1 << 20], targets: targets) { size in
            let prepared = try Prepared(size)
            return .init(
                floors: [
                    ("EVP calls, fetched", { prepared.floor.encryptByEVP() }),
                    ("best raw calls", { prepared.floor.encryptByBestCalls() }),
                ],
                work: { keep(try? NIP44.encrypt(prepared.text, with: prepared.key)) }
            )
        },
    ]
}

import COpenSSL
import CSecp256k1
import NostrCrypto
import NostrEvents
import NostrGiftWrap

/// Wraps for one owner and the calls of libsecp256k1 that opening one cannot do without.
struct PreparedWraps {
    let owner = KeyPair.generate()
    let sender = KeyPair.generate()
    let rumor: Rumor
    let raw = RawKeys()
    private let x: [UInt8]
    private let signature: [UInt8]

    /// - Parameter size: Bytes of the rumor's content.
    init(_ size: Int) throws {
        let words = "words of a message, "
        rumor = Rumor(
            pubkey: sender.publicKey.bytes,
            kind: .chatMessage,
            content: String(String(repeating: words, count: size / words.utf8.count + 1).prefix(size)),
            tags: [Tag("p", owner.publicKey.hex)],
            createdAt: 1_700_000_000
        )
        let keys = KeyPair(try SecretKey(bytes: raw.secret))
        x = keys.publicKey.bytes.array
        signature = keys.sign(try Bytes32(raw.digest)).withUnsafeBytes { [UInt8]($0) }
    }

    func seal() throws -> Event {
        try GiftWrapper(sender: sender).seal(rumor, for: owner.publicKey, now: 1_700_000_000)
    }

    /// A wrap as it comes from the network.
    func wire() throws -> WireEvent {
        try GiftWrapper(sender: sender).wrapWithoutWork(rumor, for: owner.publicKey, now: 1_700_000_000).wire
    }

    /// What the two payloads and three ids of a wrap cost besides: NIP-44 by the best calls there are, and SHA-256.
    func symmetricFloor(encrypting: Bool) throws -> () -> Void {
        let throwAway = KeyPair.generate()
        let seal = try seal()
        let outer = ConversationKey(throwAway.secretKey, owner.publicKey).withUnsafeBytes { [UInt8]($0) }
        let inner = ConversationKey(sender.secretKey, owner.publicKey).withUnsafeBytes { [UInt8]($0) }
        let wrapped = try NIP44.encrypt(seal.json, with: ConversationKey(bytes: outer))
        let floors = try [
            NIP44Floor(payload: wrapped, conversationKey: outer),
            NIP44Floor(payload: seal.content, conversationKey: inner),
        ]
        // An id is the hash of the content and about 150 bytes.
        let sizes = [wrapped.utf8.count, seal.content.utf8.count] + (encrypting ? [] : [rumor.content.utf8.count])
        let texts = sizes.map { [UInt8](repeating: 0x61, count: $0 + 150) }
        var digest = [UInt8](repeating: 0, count: 32)
        return {
            for floor in floors {
                if encrypting { floor.encryptByBestCalls() } else { floor.decryptByBestCalls() }
            }
            for text in texts {
                var state = SHA256_CTX()
                SHA256_Init(&state)
                SHA256_Update(&state, text, text.count)
                SHA256_Final(&digest, &state)
            }
        }
    }

    func parseAndVerify() {
        var key = secp256k1_xonly_pubkey()
        keep(secp256k1_xonly_pubkey_parse(raw.context, &key, x))
        keep(secp256k1_schnorrsig_verify(raw.context, signature, raw.digest, 32, &key))
    }

    func ecdh(_ output: inout [UInt8], _ other: inout secp256k1_pubkey) {
        keep(secp256k1_ecdh(raw.context, &output, &other, raw.secret, nil, nil))
    }

    /// A key pair for the wrap, two signatures, and one ECDH for the wrap: what is shared with the recipient is known.
    func makingFloor() -> () -> Void {
        var output = [UInt8](repeating: 0, count: 32)
        var (other, pair) = (raw.other, raw.pair)
        var signature = [UInt8](repeating: 0, count: 64)
        // For the key, the auxiliary values of two signatures and the nonces of two payloads.
        var random = [UInt8](repeating: 1, count: 160)
        return {
            random.withUnsafeMutableBytes { SecureRandom.fill($0) }
            var throwAway = secp256k1_keypair()
            keep(secp256k1_keypair_create(raw.context, &throwAway, raw.secret))
            keep(secp256k1_schnorrsig_sign32(raw.context, &signature, raw.digest, &pair, random))
            keep(secp256k1_schnorrsig_sign32(raw.context, &signature, raw.digest, &throwAway, random))
            ecdh(&output, &other)
        }
    }

    /// Two verifications, and ECDH once for a known sender or twice for a new one. The wrap's key is parsed, and the sender's if it
    /// is new.
    func openingFloor(isKnown: Bool) -> () -> Void {
        var output = [UInt8](repeating: 0, count: 32)
        var other = raw.other
        var known = secp256k1_xonly_pubkey()
        keep(secp256k1_xonly_pubkey_parse(raw.context, &known, x))
        return {
            parseAndVerify()
            ecdh(&output, &other)
            if isKnown {
                keep(secp256k1_schnorrsig_verify(raw.context, signature, raw.digest, 32, &known))
            } else {
                parseAndVerify()
                ecdh(&output, &other)
            }
        }
    }
}

func giftWrapBenchmarks() -> [Benchmark] {
    let sizes = [200, 4_000]
    return [
        Benchmark(
            name: "open a gift wrap, known sender",
            sizes: sizes,
            targets: [.ratio(0.93, to: "2 verify + ECDH", at: 200), .ratio(0.93, to: "with SHA-256, NIP-44", at: 200)]
        ) { size in
            let wraps = try PreparedWraps(size)
            let wire = try wraps.wire()
            let opener = GiftWrapOpener(owner: wraps.owner)
            _ = try opener.open(wire)
            let floor = wraps.openingFloor(isKnown: true)
            let symmetric = try wraps.symmetricFloor(encrypting: false)
            return .init(
                floors: [
                    ("2 verify + ECDH", floor),
                    (
                        "with SHA-256, NIP-44",
                        {
                            floor()
                            symmetric()
                        }
                    ),
                ],
                work: { keep(try? opener.open(wire)) }
            )
        },
        Benchmark(
            name: "open a gift wrap, first contact",
            sizes: sizes,
            targets: [
                .ratio(0.93, to: "2 verify + 2 ECDH", at: 200), .ratio(0.93, to: "with SHA-256, NIP-44", at: 200),
            ]
        ) { size in
            let wraps = try PreparedWraps(size)
            let wire = try wraps.wire()
            let floor = wraps.openingFloor(isKnown: false)
            let symmetric = try wraps.symmetricFloor(encrypting: false)
            return .init(
                floors: [
                    ("2 verify + 2 ECDH", floor),
                    (
                        "with SHA-256, NIP-44",
                        {
                            floor()
                            symmetric()
                        }
                    ),
                ],
                work: { keep(try? GiftWrapOpener(owner: wraps.owner).open(wire)) }
            )
        },
        Benchmark(
            name: "make a gift wrap",
            sizes: sizes,
            targets: [
                .ratio(0.93, to: "key pair + 2 sign + ECDH", at: 200),
                .ratio(0.93, to: "with SHA-256, NIP-44", at: 200),
            ]
        ) { size in
            let wraps = try PreparedWraps(size)
            let wrapper = GiftWrapper(sender: wraps.sender)
            _ = try wraps.seal()
            let symmetric = try wraps.symmetricFloor(encrypting: true)
            let floor = wraps.makingFloor()
            return .init(
                floors: [
                    ("key pair + 2 sign + ECDH", floor),
                    (
                        "with SHA-256, NIP-44",
                        {
                            floor()
                            symmetric()
                        }
                    ),
                ],
                work: {
                    keep(try? wrapper.wrapWithoutWork(wraps.rumor, for: wraps.owner.publicKey, now: 1_700_000_000))
                }
            )
        },
        Benchmark(
            name: "receive a known gift wrap",
            sizes: sizes,
            targets: [.microseconds(2)]
        ) { size in
            let wraps = try PreparedWraps(size)
            let wire = try wraps.wire()
            let reader = GiftWrapReader(opener: GiftWrapOpener(owner: wraps.owner))
            _ = reader.open(wire)
            return .init(floors: [], work: { keep(reader.open(wire)) })
        },
    ]
}

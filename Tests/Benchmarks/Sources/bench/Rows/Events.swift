import COpenSSL
import CSecp256k1
import NostrCrypto
import NostrEvents

/// A signed note whose JSON has about as many bytes as asked for, and what the libraries need to know of it.
private struct Note {
    let keys: KeyPair
    let event: Event
    let json: [UInt8]
    /// What the id is the hash of.
    let canonical: [UInt8]
    let raw = RawKeys()
    let x: [UInt8]
    let signature: [UInt8]

    init(_ size: Int) throws {
        keys = KeyPair(try SecretKey(bytes: raw.secret))
        let overhead = Event(kind: .textNote, content: "", createdAt: 1_700_000_000, signedBy: keys).json.count
        let words = "some words of a note, "
        let content = String(String(repeating: words, count: size / words.utf8.count + 1).prefix(size - overhead))
        event = Event(kind: .textNote, content: content, createdAt: 1_700_000_000, signedBy: keys)
        json = event.json
        canonical = Array("[0,\"\(keys.publicKey.hex)\",1700000000,1,[],\"\(content)\"]".utf8)
        precondition(SHA256.hash(canonical) == event.id.bytes && json.count == size)
        x = keys.publicKey.bytes.array
        signature = event.signature.withUnsafeBytes { [UInt8]($0) }
    }

    func rawHash(_ output: inout [UInt8]) {
        var state = SHA256_CTX()
        SHA256_Init(&state)
        SHA256_Update(&state, canonical, canonical.count)
        SHA256_Final(&output, &state)
    }
}

func eventBenchmarks() -> [Benchmark] {
    let sizes = [400, 4000]
    return [
        Benchmark(
            name: "verify an event from bytes",
            sizes: sizes,
            targets: [.ratio(0.97, to: "SHA-256 + x-only + verify", at: 400), .allocations(1)]
        ) { size in
            let note = try Note(size)
            var digest = [UInt8](repeating: 0, count: 32)
            return .init(
                floors: [
                    (
                        "SHA-256 + x-only + verify",
                        {
                            note.rawHash(&digest)
                            var key = secp256k1_xonly_pubkey()
                            keep(secp256k1_xonly_pubkey_parse(note.raw.context, &key, note.x))
                            keep(secp256k1_schnorrsig_verify(note.raw.context, note.signature, digest, 32, &key))
                        }
                    )
                ],
                work: { keep(try? Event(verifying: WireEvent(copying: note.json.span.bytes))) }
            )
        },
        Benchmark(
            name: "verify, author cached",
            sizes: sizes
        ) { size in
            let note = try Note(size)
            let cache = PublicKeyCache(capacity: 100)
            var digest = [UInt8](repeating: 0, count: 32)
            var key = secp256k1_xonly_pubkey()
            keep(secp256k1_xonly_pubkey_parse(note.raw.context, &key, note.x))
            return .init(
                floors: [
                    (
                        "SHA-256 + verify",
                        {
                            note.rawHash(&digest)
                            keep(secp256k1_schnorrsig_verify(note.raw.context, note.signature, digest, 32, &key))
                        }
                    )
                ],
                work: {
                    guard let wire = try? WireEvent(copying: note.json.span.bytes),
                        let author = try? cache.key(for: wire.pubkey)
                    else { return }
                    keep(try? Event(verifying: wire, by: author))
                }
            )
        },
        Benchmark(
            name: "parse an event",
            sizes: sizes,
            targets: [.microseconds(0.7, at: 400), .allocations(1)]
        ) { size in
            let note = try Note(size)
            return .init(floors: [], work: { keep(try? WireEvent(copying: note.json.span.bytes)) })
        },
        Benchmark(
            name: "find the id in raw bytes",
            sizes: sizes,
            targets: [.microseconds(0.1, at: 400), .allocations(0)]
        ) { size in
            let frame = Array(try RelayMessage.event(SubscriptionID("feed"), Note(size).event.wire).json)
            return .init(floors: [], work: { keep(RelayMessagePreview(frame.span.bytes)?.eventID) })
        },
        Benchmark(
            name: "write an event as JSON",
            sizes: sizes
        ) { size in
            let note = try Note(size)
            return .init(floors: [], work: { keep(note.event.json) })
        },
        Benchmark(
            name: "sign an event",
            sizes: sizes,
            targets: [.ratio(0.95, to: "copy + SHA-256 + sign", at: 400)]
        ) { size in
            let note = try Note(size)
            let content = note.event.content
            var pair = note.raw.pair
            var buffer = note.canonical
            var digest = [UInt8](repeating: 0, count: 32)
            var auxiliary = [UInt8](repeating: 0, count: 32)
            var signature = [UInt8](repeating: 0, count: 64)
            return .init(
                floors: [
                    (
                        "copy + SHA-256 + sign",
                        {
                            buffer.withUnsafeMutableBytes { $0.copyBytes(from: note.canonical) }
                            note.rawHash(&digest)
                            auxiliary.withUnsafeMutableBytes { SecureRandom.fill($0) }
                            keep(secp256k1_schnorrsig_sign32(note.raw.context, &signature, digest, &pair, auxiliary))
                        }
                    )
                ],
                work: {
                    keep(Event(kind: .textNote, content: content, createdAt: 1_700_000_000, signedBy: note.keys))
                }
            )
        },
    ]
}

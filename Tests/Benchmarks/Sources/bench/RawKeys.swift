import CSecp256k1
import NostrCrypto

/// Keys as libsecp256k1 takes them, for floors.
struct RawKeys {
    let context: OpaquePointer
    var pair = secp256k1_keypair()
    var other = secp256k1_pubkey()
    let secret = [UInt8](repeating: 0x31, count: 32)
    let otherKeys = KeyPair.generate()
    let digest = SecureRandom.bytes(32)

    init() {
        context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
        precondition(secp256k1_keypair_create(context, &pair, secret) == 1)
        precondition(secp256k1_ec_pubkey_parse(context, &other, [2] + otherKeys.publicKey.bytes.array, 33) == 1)
    }
}

public import NostrCrypto
import NostrEvents

extension Bytes32 {
    /// The public key as people pass it on; in hexadecimal where it is no key.
    public var npub: String { (try? PublicKey(self).npub) ?? hex }
}

import NostrCrypto
import NostrEvents

extension FuzzTarget {
    static let identifiers: [FuzzTarget] = [
        // The first byte chooses a prefix for the others, which get a right checksum: a fuzzer does not find one itself.
        FuzzTarget(name: "identifier") { bytes in
            let prefixes = ["npub", "nsec", "note", "nprofile", "nevent", "naddr"]
            guard let first = bytes.first,
                let text = try? Bech32.encode(
                    hrp: prefixes[Int(first) % prefixes.count],
                    data: Array(bytes.dropFirst()),
                    limit: NIP19.maximumLength
                ), let identifier = try? NIP19(text)
            else { return }
            guard let written = try? identifier.encoded() else { preconditionFailure("what is read cannot be written") }
            precondition((try? NIP19(written)) == identifier, "an identifier does not survive its own text")
        },
        FuzzTarget(name: "typed-key") { bytes in
            guard let key = try? PublicKey(typed: String(decoding: bytes, as: UTF8.self)) else { return }
            precondition((try? PublicKey(typed: key.npub)) == key, "a key does not survive its own text")
        },
        FuzzTarget(name: "relay-url") { bytes in
            guard let url = try? RelayURL(String(decoding: bytes, as: UTF8.self)) else { return }
            precondition((try? RelayURL(url.text)) == url, "normalising twice gives another address")
        },
    ]
}

import NostrCrypto
import NostrEvents

/// Where a replaceable or addressable event stands, whatever its version (NIP-01).
struct Address: Hashable {
    let kind: Kind
    let pubkey: Bytes32
    /// The value of the `d` tag; empty for replaceable events.
    let identifier: String

    /// The address of an event; nil for events that replace nothing.
    init?(_ event: some Indexable) {
        switch event.kind.retention {
        case .replaceable: self.init(event.kind, event.pubkey, "")
        case .addressable: self.init(event.kind, event.pubkey, event.tags.identifier)
        case .regular, .ephemeral: return nil
        }
    }

    /// Reads `<kind>:<public key>:<identifier>`; nil for anything else, and for kinds that have no address.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = UInt16(parts[0]), String(number) == parts[0],
            let pubkey = try? Bytes32(hex: String(parts[1]))
        else { return nil }
        let kind = Kind(rawValue: number)
        switch kind.retention {
        case .replaceable where parts[2].isEmpty: self.init(kind, pubkey, "")
        case .addressable: self.init(kind, pubkey, String(parts[2]))
        default: return nil
        }
    }

    private init(_ kind: Kind, _ pubkey: Bytes32, _ identifier: String) {
        self.kind = kind
        self.pubkey = pubkey
        self.identifier = identifier
    }

    // Texts that look the same but are other bytes are other identifiers.
    static func == (a: Address, b: Address) -> Bool {
        a.kind == b.kind && a.pubkey == b.pubkey && ExactText(a.identifier) == ExactText(b.identifier)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(pubkey)
        hasher.combine(ExactText(identifier))
    }
}

/// What a deletion request asks to delete: only what is its author's (NIP-09).
enum DeletionTarget: Hashable {
    case id(Bytes32, EventID)
    case address(Address)

    static func all(in request: some Indexable) -> Set<DeletionTarget> {
        var targets: Set<DeletionTarget> = []
        for tag in request.tags {
            guard let value = tag.value else { continue }
            if tag.letter == .e, let id = try? EventID(hex: value) {
                targets.insert(.id(request.pubkey, id))
            } else if tag.letter == .a, let address = Address(value), address.pubkey == request.pubkey {
                targets.insert(.address(address))
            }
        }
        return targets
    }

    func key(_ keys: IndexKeys) -> Int64 {
        switch self {
        case .id(let author, let id): keys.deletion(by: author, of: id)
        case .address(let address):
            keys.deletion(by: address.pubkey, kind: address.kind, identifier: address.identifier)
        }
    }
}

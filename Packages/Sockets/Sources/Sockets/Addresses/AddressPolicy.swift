/// Which addresses may be connected to. Asked after every name resolution, for the very addresses that are then
/// connected to, so that a name cannot change its address in between.
public struct AddressPolicy: Sendable {
    /// Whether the address may be connected to. Called from any thread.
    public let allows: @Sendable (IPAddress) -> Bool

    /// A policy of the caller's.
    public init(allows: @escaping @Sendable (IPAddress) -> Bool) {
        self.allows = allows
    }

    /// Every address.
    public static let any = AddressPolicy { _ in true }

    /// Only addresses of the public Internet: no private, loopback, link-local, shared, multicast, documentation,
    /// benchmark or reserved ones, and no IPv6 form that carries such an IPv4 address (mapped, translated, 6to4, Teredo).
    public static let publicOnly = AddressPolicy { $0.isPublic }
}

extension IPAddress {
    /// Whether the address belongs to the public Internet (the registries of RFC 6890).
    public var isPublic: Bool {
        switch self {
        case .v4(let bits): Self.isPublic4(bits)
        case .v6(let high, let low, _): Self.isPublic6(high, low)
        }
    }

    private static let reserved4: [(network: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
        (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16),
        (0xc612_0000, 15), (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 3),
    ]

    private static func isPublic4(_ bits: UInt32) -> Bool {
        !reserved4.contains { bits >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }
    }

    private static func isPublic6(_ high: UInt64, _ low: UInt64) -> Bool {
        let first = UInt16(truncatingIfNeeded: high >> 48)
        let second = UInt16(truncatingIfNeeded: high >> 32)
        if first == 0x0064, second == 0xff9b, high & 0xffff_ffff == 0, low >> 32 == 0 {
            return isPublic4(UInt32(truncatingIfNeeded: low))
        }
        // Only 2000::/3 is given out; that leaves out loopback, mapped, unique-local, link-local and multicast.
        guard first >> 13 == 1 else { return false }
        if first == 0x2002 { return isPublic4(UInt32(truncatingIfNeeded: high >> 16)) }
        // 2001::/23 holds Teredo and other special uses; 2001:db8::/32 and 3fff::/20 are for documentation.
        if first == 0x2001, second < 0x0200 || second == 0x0db8 { return false }
        if first == 0x3fff, second < 0x1000 { return false }
        return true
    }
}

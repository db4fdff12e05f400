#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An IPv4 or IPv6 address.
public enum IPAddress: Hashable, Sendable {
    /// The 32 bits of an IPv4 address, the first byte of the text in the highest bits.
    case v4(UInt32)
    /// The 128 bits of an IPv6 address, and the number of the interface for a link-local one, else 0.
    case v6(high: UInt64, low: UInt64, scope: UInt32)

    /// Reads the usual text forms: `192.0.2.1` (four decimal numbers) and `2001:db8::1`, without brackets or scope.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self = Self(six, scope: 0)
    }

    init(_ six: in6_addr, scope: UInt32) {
        let (high, low) = withUnsafeBytes(of: six) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self = .v6(high: high, low: low, scope: scope)
    }

    /// `127.0.0.1`
    public static let loopback4 = IPAddress.v4(0x7f00_0001)
    /// `::1`
    public static let loopback6 = IPAddress.v6(high: 0, low: 1, scope: 0)

    /// Whether it is an IPv6 address.
    public var isV6: Bool {
        if case .v6 = self { true } else { false }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual text form, without brackets or scope.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .v4(let bits):
            var bits = bits.bigEndian
            inet_ntop(AF_INET, &bits, &text, socklen_t(text.count))
        case .v6(let high, let low, _):
            var bits = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &bits, &text, socklen_t(text.count))
        }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
}

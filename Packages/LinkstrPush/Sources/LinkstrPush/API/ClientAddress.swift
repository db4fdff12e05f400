internal import Sockets

/// Whom a request is counted for: an IPv4 address, or the network of 64 bits that one subscriber of IPv6 has at least.
enum ClientAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt64)

    init(_ address: IPAddress) {
        switch address {
        case .v4(let bits): self = .v4(bits)
        // An IPv4 address in an IPv6 socket.
        case .v6(0, let low, _) where low >> 32 == 0xffff: self = .v4(UInt32(truncatingIfNeeded: low))
        case .v6(let high, _, _): self = .v6(high)
        }
    }

    /// - Parameter proxies: whose `X-Forwarded-For` is believed: the address that they add themselves, which is the last one.
    /// - Returns: nil for a client that is not limited, on a Unix socket.
    init?(of request: HTTPRequest, behind proxies: Set<IPAddress>) {
        let isProxied: Bool
        var peer: IPAddress?
        switch request.peer {
        case .ip(let address, _):
            isProxied = proxies.contains(address)
            peer = address
        case .unix, nil:
            isProxied = !proxies.isEmpty
        }
        if isProxied, let last = request.head.fields.values("x-forwarded-for").last?.split(separator: ",").last,
            let address = IPAddress(String(last).trimmedOfBlanks)
        {
            peer = address
        }
        guard let peer else { return nil }
        self.init(peer)
    }
}

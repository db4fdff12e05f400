/// A TCP port of this machine, at a host that cannot lead anywhere else: an address of 127.0.0.0/8, `::1`, or `localhost`.
public struct LoopbackPlace: Hashable, Sendable {
    private let host: String
    private let port: UInt16

    /// A place as it is given to ``Connector/connect(to:port:secure:on:)``; nil for any other host, what a name might lead to aside.
    public init?(host: String, port: UInt16) {
        self.host = host.lowercased()
        self.port = port
        guard !addresses.isEmpty else { return nil }
    }

    /// Where it is. The name means what RFC 6761 section 6.3 says, whatever a resolver would answer.
    var addresses: [IPAddress] {
        if host == "localhost" { return [.loopback6, .loopback4] }
        return IPAddress(host).map { $0.isLoopback ? [$0] : [] } ?? []
    }
}

extension IPAddress {
    /// Whether it is an address of this machine that no network sees (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    fileprivate var isLoopback: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low, _): high == 0 && low == 1
        }
    }
}

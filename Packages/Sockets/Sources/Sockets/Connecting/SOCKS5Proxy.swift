/// A SOCKS5 proxy (RFC 1928), which looks names up itself: nothing is resolved on this machine.
public struct SOCKS5Proxy: Sendable, CustomStringConvertible {
    /// The proxy's name or address, without brackets.
    public var host: String
    /// The proxy's TCP port; Tor's is 9050.
    public var port: UInt16
    /// User name and password, 1 to 255 bytes each (RFC 1929); nil: none. Tor keeps connections of different
    /// credentials on different circuits.
    public var credentials: (user: String, password: String)?

    /// A proxy at an address; nothing is connected yet.
    public init(host: String, port: UInt16, credentials: (user: String, password: String)? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// A proxy as a person types it: `host:port`, with or without `socks5://` before it, an IPv6 address in brackets. nil for any other
    /// text, and for port 0.
    public init?(_ text: String) {
        let place = text.hasPrefix("socks5://") ? text.dropFirst(9) : text[...]
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]), port > 0
        else { return nil }
        let host = place[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? host.dropFirst().dropLast() : host
        guard !bare.isEmpty, isBracketed || !bare.contains(":") else { return nil }
        self.init(host: String(bare), port: port)
    }

    /// Host and port, without the credentials.
    public var description: String { "socks5://\(host):\(port)" }

    /// Asks the proxy at the other end to connect to a host. Afterwards the connection leads to the host.
    func open(
        _ host: String,
        _ port: UInt16,
        over connection: Connection,
        until deadline: ContinuousClock.Instant
    ) async throws(SocketsError) {
        do throws(SocketsError) {
            try await negotiate(connection, deadline)
            try await request(host, port, connection, deadline)
        } catch SocketsError.endedEarly {
            throw .proxy(.protocolViolation)
        } catch SocketsError.timedOut {
            throw .timedOut(.proxyHandshake)
        }
    }

    private func negotiate(
        _ connection: Connection,
        _ deadline: ContinuousClock.Instant
    ) async throws(SocketsError) {
        let methods: [UInt8] = credentials == nil ? [0] : [0, 2]
        try await connection.write([5, UInt8(methods.count)] + methods, until: deadline)
        let answer = try await connection.read(exactly: 2, until: deadline)
        guard answer[0] == 5 else { throw .proxy(.protocolViolation) }
        switch answer[1] {
        case 0: return
        case 2: try await logIn(connection, deadline)
        case 0xff: throw .proxy(.authenticationNeeded)
        default: throw .proxy(.protocolViolation)
        }
    }

    private func logIn(_ connection: Connection, _ deadline: ContinuousClock.Instant) async throws(SocketsError) {
        guard let credentials else { throw .proxy(.protocolViolation) }
        let message: [UInt8] = try [1] + Self.counted(credentials.user) + Self.counted(credentials.password)
        try await connection.write(message, until: deadline)
        let answer = try await connection.read(exactly: 2, until: deadline)
        guard answer[0] == 1 else { throw .proxy(.protocolViolation) }
        guard answer[1] == 0 else { throw .proxy(.authenticationRefused) }
    }

    private func request(
        _ host: String,
        _ port: UInt16,
        _ connection: Connection,
        _ deadline: ContinuousClock.Instant
    ) async throws(SocketsError) {
        let target: [UInt8] =
            switch IPAddress(host) {
            case .v4(let bits): [1] + Self.bigEndian(bits)
            case .v6(let high, let low, _): [4] + Self.bigEndian(high) + Self.bigEndian(low)
            case nil: try [3] + Self.counted(host)
            }
        try await connection.write([5, 1, 0] + target + Self.bigEndian(port), until: deadline)
        let head = try await connection.read(exactly: 4, until: deadline)
        guard head[0] == 5 else { throw .proxy(.protocolViolation) }
        switch head[1] {
        case 0: break
        case 2: throw .proxy(.notAllowed)
        case 3, 4, 6: throw .proxy(.unreachable)
        case 5: throw .proxy(.refused)
        default: throw .proxy(.failed(code: head[1]))
        }
        let addressLength: Int
        switch head[3] {
        case 1: addressLength = 4
        case 3: addressLength = Int(try await connection.read(exactly: 1, until: deadline)[0])
        case 4: addressLength = 16
        default: throw .proxy(.protocolViolation)
        }
        _ = try await connection.read(exactly: addressLength + 2, until: deadline)
    }

    private static func counted(_ text: String) throws(SocketsError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard (1...255).contains(bytes.count) else { throw .proxy(.nameTooLong) }
        return [UInt8(bytes.count)] + bytes
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Accepts TCP or Unix connections and spreads them over loops.
///
/// The closure is called with each new stream, on the stream's own loop; it starts the stream with a handler before it
/// returns, or the stream is closed. The listener works until ``close()`` or until it is released.
///
/// When the process has no descriptor left, connections that wait are accepted with one kept in reserve and closed at once,
/// so that the loop does not spin and the peers are not left hanging.
///
public final class Listener: Sendable {
    /// Where it listens; with port 0 asked for, the port that the system chose.
    public let address: SocketAddress
    private let acceptor: Acceptor

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - address: an IP address and port (0: any free one), or a Unix path.
    ///   - options: limits and rights.
    ///   - group: the loops of the accepted streams.
    ///   - accept: called on the stream's loop.
    /// - Throws: ``SocketsError/addressInUse(_:)``, ``SocketsError/permissionDenied(_:)`` and others.
    public init(
        on address: SocketAddress,
        options: ListenerOptions = ListenerOptions(),
        group: EventLoopGroup = .shared,
        accept: @escaping @Sendable (SocketStream) -> Void
    ) throws(SocketsError) {
        let descriptor = try ListeningSocket.open(address, options)
        self.address = Self.bound(descriptor, asked: address)
        do throws(SocketsError) {
            acceptor = try Acceptor(descriptor, self.address, options, group, accept)
        } catch {
            SystemCall.closeDescriptor(descriptor)
            throw error
        }
        acceptor.begin()
    }

    /// Takes over a socket that listens already: one that a service manager has opened. It is not unlinked when the
    /// listener is closed.
    ///
    /// - Throws: ``SocketsError/invalidAddress(_:)`` when the descriptor is no listening stream socket.
    public init(
        adopting descriptor: Int32,
        options: ListenerOptions = ListenerOptions(),
        group: EventLoopGroup = .shared,
        accept: @escaping @Sendable (SocketStream) -> Void
    ) throws(SocketsError) {
        guard let address = ListeningSocket.address(ofListening: descriptor) else {
            throw .invalidAddress("descriptor \(descriptor)")
        }
        SystemCall.adopt(descriptor)
        var options = options
        options.unlinksPath = false
        self.address = address
        acceptor = try Acceptor(descriptor, address, options, group, accept)
        acceptor.begin()
    }

    deinit {
        acceptor.end()
    }

    /// Stops listening; streams that were accepted live on. From anywhere.
    public func close() {
        acceptor.end()
    }

    private static func bound(_ descriptor: Int32, asked: SocketAddress) -> SocketAddress {
        if case .unix = asked { return asked }
        return SocketAddress(of: descriptor, remote: false) ?? asked
    }
}

/// Limits and rights of a ``Listener``.
public struct ListenerOptions: Sendable {
    /// How many connections may wait to be accepted.
    public var backlog: Int32 = 512
    /// How many connections are accepted in a second; more of them wait, as the backlog says. Nil: as many as come.
    public var connectionsPerSecond: Int?
    /// How many bytes wait to be sent on a stream before its writer is told to wait.
    public var highWaterMark = Connector.defaultHighWaterMark
    /// How many bytes the system takes from a stream before it can send them (TCP_NOTSENT_LOWAT); nil: as many as it likes,
    /// which may be megabytes for a peer that does not read.
    public var unsentBytes: Int32?
    /// The mode of a Unix socket: 0600 by default.
    public var mode: UInt32 = 0o600
    /// The user ids that may connect to a Unix socket; nil: whoever the mode lets in. Others are closed at once.
    public var allowedUsers: Set<UInt32>?
    var unlinksPath = true

    /// The defaults named at each.
    public init() {}
}

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The half of a ``Listener`` that lives on its loop.
///
/// `@unchecked Sendable`: mutable state is touched on the loop's thread alone.
final class Acceptor: Pollable, @unchecked Sendable {
    private let loop: EventLoop
    private let address: SocketAddress
    private let options: ListenerOptions
    private let loops: [EventLoop]
    private let accept: @Sendable (SocketStream) -> Void
    private let identity: ListeningSocket.FileIdentity?
    private var descriptor: Int32
    private var reserve: Int32
    private var turn = 0
    /// How many more may be accepted until when.
    private var left = 0
    private var periodEnd = ContinuousClock.now

    /// How many connections are accepted before other work of the loop gets its turn.
    private static let acceptsPerTurn = 64
    private static let periodsPerSecond = 20

    init(
        _ descriptor: Int32,
        _ address: SocketAddress,
        _ options: ListenerOptions,
        _ group: EventLoopGroup,
        _ accept: @escaping @Sendable (SocketStream) -> Void
    ) throws(SocketsError) {
        self.descriptor = descriptor
        self.address = address
        self.options = options
        self.accept = accept
        loop = try group.next()
        loops = try group.loops()
        reserve = Self.openReserve()
        if case .unix(let path) = address, options.unlinksPath {
            identity = ListeningSocket.identity(ofPath: path)
        } else {
            identity = nil
        }
    }

    private static func openReserve() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    func begin() {
        loop.execute { self.listen() }
    }

    func end() {
        loop.execute { self.release() }
    }

    private func listen() {
        guard descriptor >= 0 else { return }
        if loop.watch(descriptor, for: .readable, self) != 0 { pause() }
    }

    private func release() {
        guard descriptor >= 0 else { return }
        _ = loop.watch(descriptor, for: [], self)
        SystemCall.closeDescriptor(descriptor)
        descriptor = -1
        if reserve >= 0 { SystemCall.closeDescriptor(reserve) }
        if case .unix(let path) = address, let identity, ListeningSocket.identity(ofPath: path) == identity {
            _ = unlink(path)
        }
    }

    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.acceptsPerTurn {
            if let periodEnd = endOfUsedPeriod() {
                pause(until: periodEnd)
                return
            }
            let accepted = SystemCall.accept(descriptor)
            if accepted >= 0 {
                left &-= 1
                hand(accepted)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE: if !turnAway() { return }
            // The connection was gone before it was accepted (accept(2) names the errors of the network).
            case EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT: continue
            default:
                pause()
                return
            }
        }
    }

    /// When more may be accepted; nil if now.
    private func endOfUsedPeriod() -> ContinuousClock.Instant? {
        guard let rate = options.connectionsPerSecond else { return nil }
        if periodEnd <= loop.now {
            periodEnd = loop.now.advanced(by: .seconds(1) / Self.periodsPerSecond)
            left = max(1, rate / Self.periodsPerSecond)
        }
        return left > 0 ? nil : periodEnd
    }

    /// Gives the reserve up for one connection, which is closed at once.
    private func turnAway() -> Bool {
        guard reserve >= 0 else {
            reserve = Self.openReserve()
            pause()
            return false
        }
        SystemCall.closeDescriptor(reserve)
        let accepted = SystemCall.accept(descriptor)
        if accepted >= 0 { SystemCall.closeDescriptor(accepted) }
        reserve = Self.openReserve()
        return accepted >= 0
    }

    private func pause() {
        pause(until: loop.now.advanced(by: .milliseconds(100)))
    }

    private func pause(until time: ContinuousClock.Instant) {
        _ = loop.watch(descriptor, for: [], self)
        loop.schedule(at: time) { [weak self] in self?.listen() }
    }

    private func hand(_ accepted: Int32) {
        let peer: SocketAddress?
        if case .unix = address {
            peer = address
            if let users = options.allowedUsers {
                guard let user = SystemCall.peerUser(accepted), users.contains(user) else {
                    SystemCall.closeDescriptor(accepted)
                    return
                }
            }
        } else {
            SystemCall.disableNagle(accepted)
            if let bytes = options.unsentBytes { SystemCall.limitUnsent(accepted, bytes) }
            peer = SocketAddress(of: accepted, remote: true)
        }
        #if canImport(Darwin)
            SystemCall.adopt(accepted)
        #endif
        let target = loops[turn]
        turn = (turn + 1) % loops.count
        let stream = SocketStream(
            descriptor: accepted,
            peer: peer,
            loop: target,
            highWaterMark: options.highWaterMark
        )
        if target === loop {
            accept(stream)
        } else {
            target.execute { [accept] in accept(stream) }
        }
    }
}

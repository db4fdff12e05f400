/// Tries the addresses of a host, each a little after the one before, and keeps the first connection (RFC 8305).
///
/// `@unchecked Sendable`: touched on the loop's thread alone; `Once` is what crosses.
final class ConnectRace: @unchecked Sendable {
    let winner = Once<SocketStream>()
    private let loop: EventLoop
    private let delay: Duration
    private let highWaterMark: Int
    private var waiting: [SocketAddress]
    private var running: [ConnectAttempt] = []
    private var timer: LoopTimer?
    private var firstError: SocketsError?
    private var isOver = false

    init(_ addresses: [SocketAddress], delay: Duration, highWaterMark: Int, on loop: EventLoop) {
        self.loop = loop
        self.delay = delay
        self.highWaterMark = highWaterMark
        waiting = addresses.reversed()
    }

    /// Takes turns between the families, beginning with the family of the first address (RFC 8305 section 4).
    static func interleave(_ addresses: [IPAddress]) -> [IPAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.isV6 == first.isV6 }
        let others = addresses.filter { $0.isV6 != first.isV6 }
        var result: [IPAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { result.append(preferred[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return result
    }

    func startNext() {
        timer?.cancel()
        guard !isOver else { return }
        guard let address = waiting.popLast() else {
            if running.isEmpty { winner.resolve(.failure(firstError ?? .nameNotFound("(no address)"))) }
            return
        }
        let attempt = ConnectAttempt(address, on: loop)
        running.append(attempt)
        if !waiting.isEmpty {
            timer = loop.schedule(after: delay) { [weak self] in self?.startNext() }
        }
        attempt.start { result in
            self.running.removeAll { $0 === attempt }
            switch result {
            case .success(let descriptor):
                let stream = SocketStream(
                    descriptor: descriptor,
                    peer: address,
                    loop: self.loop,
                    highWaterMark: self.highWaterMark
                )
                self.stop()
                // When the caller has given up meanwhile, releasing the stream closes it.
                self.winner.resolve(.success(stream))
            case .failure(let error):
                self.firstError = self.firstError ?? error
                self.startNext()
            }
        }
    }

    func stop() {
        isOver = true
        timer?.cancel()
        for attempt in running { attempt.cancel() }
        running = []
        waiting = []
    }
}

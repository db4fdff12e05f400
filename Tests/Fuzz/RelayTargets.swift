import Dispatch
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets

extension FuzzTarget {
    static let relay: [FuzzTarget] = [
        // What a client of the relay sends: each line is a text message, or after a first byte of 1 everything is frames.
        FuzzTarget(name: "relay") { bytes in
            guard let relay = FuzzedRelay.shared else { preconditionFailure("no relay can be made") }
            let isRaw = bytes.first == 1
            let input =
                isRaw ? Array(bytes.dropFirst()) : bytes.split(separator: 0x0A).flatMap { FuzzedRelay.frame($0) }
            relay.exchange(isRaw ? input : input + FuzzedRelay.frame(FuzzedRelay.last.utf8), waits: !isRaw)
        }
    ]
}

/// A relay over a database in memory, and clients over streams in memory.
private final class FuzzedRelay: Sendable {
    static let shared = FuzzedRelay()

    /// The message that is answered last.
    static let last = #"["REQ","fuzz-end",{"limit":0}]"#

    private let relay: Relay
    private let loop: EventLoop
    private let head: HTTPRequestHead

    private init?() {
        guard let loop = try? EventLoop() else { return nil }
        var parser = HTTPHeadParser()
        var index = 0
        let request =
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        guard let parsed = try? parser.feed(Array(request.utf8), from: &index), let head = try? HTTPRequestHead(parsed)
        else {
            return nil
        }
        let made = Made()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            var options = RelayOptions()
            options.protectsGiftWraps = true
            options.supportsSearch = true
            options.limits.eventsPerFilter = 50
            let store = try? await EventStore(.memory, options: StoreOptions(searchKinds: [1]))
            if let store {
                made.relay = try? Relay(
                    store: store,
                    on: .ip(.loopback4, port: 0),
                    options: options,
                    group: EventLoopGroup(loop)
                )
            }
            done.signal()
        }
        done.wait()
        guard let relay = made.relay else { return nil }
        self.relay = relay
        self.loop = loop
        self.head = head
    }

    /// `@unchecked Sendable`: written before the semaphore is signalled, read after it was waited for.
    private final class Made: @unchecked Sendable {
        var relay: Relay?
    }

    /// A masked text frame.
    static func frame(_ payload: some Collection<UInt8>) -> [UInt8] {
        let size = payload.count
        let length: [UInt8] =
            size < 126
            ? [0x80 | UInt8(size)]
            : size < 65_536
                ? [0xFE, UInt8(size >> 8), UInt8(size & 255)]
                : [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
        return [0x81] + length + [0, 0, 0, 0] + payload
    }

    func exchange(_ input: [UInt8], waits: Bool) {
        let client = FuzzedClient()
        loop.execute { [self] in
            let (near, far) = MemoryStream.pair(on: loop, highWaterMark: 16 << 20)
            relay.accept(head, over: far)
            client.stream = near
            client.ends = [End(near), End(far)]
            near.start(client)
            _ = near.write(input)
            if !waits { near.close() }
        }
        guard client.done.wait(timeout: .now() + 5) == .success else {
            preconditionFailure("the relay does not answer")
        }
        loop.execute {
            client.stream?.abort()
            client.stream = nil
        }
        waitUntilGone(client)
    }

    /// Queries that are under way hold a connection for a moment. The leak check between inputs does not see what weak
    /// references hold, so nothing may be left.
    private func waitUntilGone(_ client: FuzzedClient) {
        let deadline = DispatchTime.now() + 5
        while true {
            let gone = DispatchSemaphore(value: 0)
            loop.execute { if client.ends.allSatisfy({ $0.stream == nil }) { gone.signal() } }
            if gone.wait(timeout: .now() + .microseconds(500)) == .success { break }
            precondition(DispatchTime.now() < deadline, "the relay keeps a connection that is closed")
        }
        let turn = DispatchSemaphore(value: 0)
        loop.execute {
            client.ends = []
            turn.signal()
        }
        turn.wait()
    }
}

/// Waits until the last message was answered or the relay has closed the connection.
///
/// `@unchecked Sendable`: state is touched on the loop of the stream alone.
private final class FuzzedClient: ByteStreamHandler, @unchecked Sendable {
    let done = DispatchSemaphore(value: 0)
    var stream: (any ByteStream)?
    var ends: [End] = []
    private var recent: [UInt8] = []
    private var isDone = false

    private static let mark = Array("\"fuzz-end\"".utf8)

    func received(_ bytes: inout MutableRawSpan) {
        bytes.withUnsafeBytes { recent.append(contentsOf: $0) }
        if recent.count >= Self.mark.count {
            let starts = recent.indices.dropLast(Self.mark.count - 1)
            if starts.contains(where: {
                recent[$0] == 0x22 && recent[$0..<($0 + Self.mark.count)].elementsEqual(Self.mark)
            }) {
                finish()
            }
        }
        recent = Array(recent.suffix(Self.mark.count - 1))
    }

    func ended() { finish() }
    func closed(_ reason: CloseReason) { finish() }

    private func finish() {
        guard !isDone else { return }
        isDone = true
        done.signal()
    }
}

/// One end of the streams, as long as somebody else holds it.
private struct End {
    weak var stream: MemoryStream?

    init(_ stream: MemoryStream) {
        self.stream = stream
    }
}

import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

/// Scripted relays and a pool that reaches them through memory, all on one loop whose time the test holds.
struct Rig {
    let loop: EventLoop
    let urls: [RelayURL]
    let relays: [ScriptedRelay]
    let pool: RelayPool

    var url: RelayURL { urls[0] }
    var relay: ScriptedRelay { relays[0] }

    init(
        _ stored: [Event]...,
        capacity: Int = 64 * 1024,
        configure: (inout TransportOptions) -> Void = { _ in }
    ) throws {
        let loop = try EventLoop(virtualTime: true)
        let stored = stored.isEmpty ? [[]] : stored
        let urls = try stored.indices.map { try RelayURL("ws://relay\($0).example") }
        let relays = stored.map { ScriptedRelay(on: loop, events: $0) }
        let byURL = Dictionary(uniqueKeysWithValues: zip(urls, relays))
        var options = TransportOptions()
        options.information = nil
        options.random = { 0 }
        configure(&options)
        let client = options.webSocket
        options.open = { url, _ async throws(WebSocketError) in
            guard let relay = byURL[url] else { throw .transport(.connectionRefused(url.text)) }
            return try await relay.connect(url, capacity: capacity, with: client)
        }
        self.loop = loop
        self.urls = urls
        self.relays = relays
        pool = try RelayPool(options: options, group: EventLoopGroup(loop))
    }

    /// Waits until a relay's state is so.
    func until(_ relay: RelayURL? = nil, _ condition: (RelayState) -> Bool) async {
        let relay = relay ?? url
        for await statuses in pool.statusUpdates() {
            if let status = statuses[relay], condition(status.state) { return }
        }
    }

    /// The figures of a relay's connection.
    func statistics(_ relay: RelayURL? = nil) async -> RelayStatistics? {
        await pool.connection(to: relay ?? url)?.status.statistics
    }
}

enum Sample {
    static let keys = try! KeyPair(SecretKey(bytes: [UInt8](repeating: 7, count: 32)))
    static let others = try! KeyPair(SecretKey(bytes: [UInt8](repeating: 9, count: 32)))

    /// Notes of one author, one a second from `start` on.
    static func notes(_ count: Int, start: Int64 = 1_700_000_000, by keys: KeyPair = keys) -> [Event] {
        (0..<count).map { index in
            Event(
                kind: .textNote,
                content: "note \(index)",
                createdAt: start + Int64(index),
                signedBy: keys
            )
        }
    }

    /// The same event with another signature's bytes: its id is right and its signature false.
    static func forged(_ event: Event) -> WireEvent {
        let other = Event(kind: .textNote, content: "other", createdAt: 1, signedBy: keys)
        let json = String(decoding: event.json, as: UTF8.self)
            .replacing(event.signature.hex, with: other.signature.hex)
        return try! WireEvent(json: json)
    }
}

/// What a subscription has told, sorted out.
struct Told {
    var events: [Event] = []
    var pages: [StoredPage] = []
    var interruptions: [TransportError?] = []
    var closures: [TransportError?] = []
    /// In order: e event, s end of stored events, i interruption, c closure.
    var order = ""

    mutating func take(_ update: SubscriptionUpdate) {
        switch update {
        case .event(let event, _):
            events.append(event)
            order += "e"
        case .endOfStoredEvents(_, let page):
            pages.append(page)
            order += "s"
        case .interrupted(_, let error):
            interruptions.append(error)
            order += "i"
        case .closed(_, let error):
            closures.append(error)
            order += "c"
        }
    }
}

/// Reads a subscription step by step.
struct Reader {
    private var iterator: Subscription.Iterator
    private(set) var told = Told()

    init(_ subscription: Subscription) {
        iterator = subscription.makeAsyncIterator()
    }

    /// Reads on until something is so, or the subscription is over.
    mutating func read(until condition: (Told) -> Bool) async {
        while !condition(told), let update = await iterator.next(isolation: nil) { told.take(update) }
    }

    mutating func readToEnd() async {
        await read { _ in false }
    }
}

import Foundation
import NostrCrypto
import NostrEvents
import NostrStore
import SQLite
import TestSupport

/// `Testing` has a `Tag` as well.
typealias Tag = NostrEvents.Tag

/// A place for a database that goes away with the value.
struct Scratch {
    private let temporary: TemporaryFolder
    var folder: URL { URL(fileURLWithPath: temporary.path) }

    init() throws { temporary = try TemporaryFolder() }

    var path: String { folder.appendingPathComponent("events.db").path }
    var location: Location { .file(path) }
}

/// A clock that a test sets.
///
/// `@unchecked Sendable`: `time` is touched under the lock only. `NSLock`, which the thread sanitiser knows.
final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time: Int64

    init(_ time: Int64 = 1_000) {
        self.time = time
    }

    var now: Int64 { lock.withLock { time } }

    func set(_ now: Int64) { lock.withLock { time = now } }
}

/// Key pairs that are the same in every run.
enum People {
    static let all: [KeyPair] = (1...6).compactMap { number in
        (try? SecretKey(bytes: [UInt8](repeating: UInt8(number), count: 32))).map { KeyPair($0) }
    }

    static func person(_ number: Int) -> KeyPair { all[number % all.count] }
}

/// A signed event.
func event(
    _ kind: Kind = .textNote,
    by person: Int = 0,
    at time: Int64 = 100,
    _ content: String = "",
    tags: [Tag] = []
) -> Event {
    Event(kind: kind, content: content, tags: tags, createdAt: time, signedBy: People.person(person))
}

func hex(_ person: Int) -> String { People.person(person).publicKey.hex }

func key(_ person: Int) -> Bytes32 { People.person(person).publicKey.bytes }

/// What the conformance suite needs of a store.
protocol AnyStore: Sendable {
    func ingest(_ events: [Event]) async throws -> [IngestOutcome]
    func ids(_ filters: [Filter]) async throws -> [EventID]
    func number(_ filters: [Filter]) async throws -> Int
    func sweep() async throws
}

extension EventStore: AnyStore {
    func ids(_ filters: [Filter]) async throws -> [EventID] {
        try await events(matching: filters).map(\.id)
    }

    func number(_ filters: [Filter]) async throws -> Int {
        try await count(matching: filters)
    }

    func sweep() async throws {
        try await sweepExpired()
    }
}

import Foundation
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite

/// A history of one session with three members: posts with notes, and a reaction for every fourth of them.
private struct Traffic {
    static let members = (1...3).map { Bytes32(words: UInt64($0), 7, 7, 7) }
    static let owner = members[0]
    private static let url = (try? WebURL("https://www.example.com/watch?v=dQw4w9WgXcQ&list=something")) ?? nil
    private static let note = "Some words about the link, as people write them, and then a few more."
    private var generator = SplitMix(state: 42)
    private var count: Int64 = 0
    private var last: EventID?
    private let session: SessionID

    init(_ session: SessionID) {
        self.session = session
    }

    static func create(_ session: SessionID) -> Fact {
        Fact(
            moment: Moment(time: 0, id: EventID(Bytes32(words: 1, 1, 1, 1))),
            sender: members[1],
            session: session,
            statement: .snapshot(name: "Films", members: members, isCreate: true)
        )
    }

    mutating func next() -> Fact? {
        guard let url = Self.url else { return nil }
        count += 1
        let id = EventID(Bytes32(words: generator.next(), generator.next(), 5, UInt64(count)))
        let statement: Fact.Statement
        if count % 5 == 0, let last {
            statement = .reaction(root: last, emoji: ExactText("👍"), isActive: true)
        } else {
            statement = .root(url: url, note: Self.note)
            last = id
        }
        return Fact(
            moment: Moment(time: 1_000 + count, id: id),
            sender: Self.members[Int(count % 3)],
            session: session,
            statement: statement
        )
    }

    mutating func next(_ count: Int) -> [Fact] {
        (0..<count).compactMap { _ in next() }
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A place on disk, gone with the value.
private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "linkstr-bench-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Waits for work on the thread of a store.
private func wait<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Result>()
    Task.detached {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
}

// The semaphore orders the one writing before the one reading.
private final class Box<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

private final class Store: Sendable {
    let folder: Folder
    let store: SessionStore

    init() throws {
        let folder = try Folder()
        self.folder = folder
        store = try wait {
            let key = SecretBytes([UInt8](repeating: 7, count: 32))
            let store = try await SessionStore.open(.file(folder.path + "/s"), owner: Traffic.owner, key: key)
            _ = try await store.completeRestore()
            return store
        }
    }

    func apply(_ facts: [Fact]) throws {
        let arrivals = facts.map { Arrival($0, source: .historical) }
        _ = try wait { [store] in try await store.apply(arrivals, now: 0) }
    }
}

/// Rows of the size of stored facts, appended in commits of 500: what a database costs without any way to find them.
private final class Appender {
    private let folder: Folder
    private let connection: Connection
    private let body = [UInt8](repeating: 9, count: 250)

    init() throws {
        folder = try Folder()
        connection = try Connection(.file(folder.path + "/a"))
        try connection.execute("CREATE TABLE fact(row INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
    }

    func append(_ count: Int) {
        for _ in 0..<count / 500 {
            try? connection.transaction {
                for _ in 0..<500 { try connection.execute("INSERT INTO fact(body) VALUES (?1)", body) }
            }
        }
    }
}

func sessionBenchmarks() -> [Benchmark] {
    guard let session = SessionID("S") else { return [] }
    let stored = ProcessInfo.processInfo.environment["LINKSTR_BENCH_POSTS"].flatMap { Int($0) } ?? 100_000
    return [
        Benchmark(
            name: "apply facts in memory",
            sizes: [1_000],
            unit: "facts",
            targets: [.microseconds(6_667, at: 1_000)]
        ) { size in
            var traffic = Traffic(session)
            let facts = traffic.next(size)
            return .init(floors: []) {
                var sessions = Sessions(owner: Traffic.owner, isRestoring: false)
                _ = sessions.apply(Traffic.create(session))
                for fact in facts { _ = sessions.apply(fact) }
                keep(sessions.pendingCount)
            }
        },
        // With one merge of the keys, as it comes once in so many facts.
        Benchmark(
            name: "store facts, commits of 500",
            sizes: [16_000],
            unit: "facts",
            targets: [.microseconds(400_000, at: 16_000)]
        ) { size in
            let store = try Store()
            try store.apply([Traffic.create(session)])
            let appender = try Appender()
            var traffic = Traffic(session)
            return .init(floors: [("append rows", { appender.append(size) })]) {
                for _ in 0..<size / 500 { keep(try? store.apply(traffic.next(500))) }
            }
        },
        Benchmark(
            name: "page of 50 posts",
            sizes: [stored],
            unit: "posts",
            targets: [.microseconds(3_000, at: stored)]
        ) { size in
            let store = try Store()
            var traffic = Traffic(session)
            try store.apply([Traffic.create(session)])
            for _ in 0..<size * 5 / 4 / 500 { try store.apply(traffic.next(500)) }
            var generator = SplitMix(state: 1)
            // Somewhere in the feed: the last post of the page is where the next one begins, so pages are walked at random.
            return .init(floors: []) {
                let until = Int64(1_000 + generator.next() % UInt64(size))
                let query = FeedQuery(session: session, until: until, limit: 50)
                keep(try? wait { [store = store.store] in try await store.feed(query) })
            }
        },
    ]
}

import Foundation
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport

/// A place for a database that goes away with the value.
struct Scratch {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path + "/sessions.sqlite" }
    var location: Location { .file(path) }

    /// The database and its log, byte for byte.
    func contents() throws -> [UInt8] {
        try ["", "-wal"].flatMap { suffix -> [UInt8] in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return [] }
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path + suffix))
            return Array(try file.readToEnd() ?? Data())
        }
    }
}

let dataKey = SecretBytes([UInt8](repeating: 7, count: 32))

/// The owner's device: a store on disk.
struct Device {
    let scratch: Scratch
    let store: SessionStore
    var now: Int64 = 1_000_000

    init(
        owner: Bytes32 = owner,
        isRestored: Bool = true,
        options: SessionStoreOptions = SessionStoreOptions(synchronous: .normal),
        scratch: Scratch? = nil
    ) async throws {
        self.scratch = try scratch ?? Scratch()
        store = try await SessionStore.open(self.scratch.location, owner: owner, key: dataKey, options: options)
        if isRestored { _ = try await store.completeRestore() }
    }

    @discardableResult
    func take(_ facts: Fact..., source: Source = .historical) async throws -> Applied {
        try await take(facts, source: source)
    }

    @discardableResult
    func take(_ facts: [Fact], source: Source = .historical) async throws -> Applied {
        try await store.apply(facts.map { Arrival($0, source: source) }, now: now)
    }

    /// Closes and opens again.
    func restarted(_ options: SessionStoreOptions = SessionStoreOptions(synchronous: .normal)) async throws -> Device {
        try await store.close()
        return try await Device(owner: store.owner, isRestored: false, options: options, scratch: scratch)
    }

    func posts(_ session: SessionID = films) async throws -> [FeedItem] {
        try await store.feed(FeedQuery(session: session, limit: 10_000)).items
    }

    /// The times of the posts that count, ascending.
    func times(_ session: SessionID = films) async throws -> [Int64] {
        try await posts(session).map { $0.post.moment.time }.reversed()
    }

    func members(_ session: SessionID = films) async throws -> [Bytes32]? {
        var log = try await store.log(session)
        guard log?.creator != nil, log?.isDeleted == false else { return nil }
        return log?.membership.members
    }

    func name(_ session: SessionID = films) async throws -> String? { try await store.session(session)?.name }

    /// What the store shows, as the model says it.
    func state() async throws -> Model.State {
        var state = Model.State()
        for summary in try await store.sessions() {
            guard var log = try await store.log(summary.id) else { continue }
            let posts = try await posts(summary.id).reversed().map { item in
                Shown.Post(
                    id: item.post.id,
                    reactions: item.reactions.map { Shown.Reaction(emoji: $0.emoji, senders: $0.senders) }
                )
            }
            state.sessions[summary.id] = Shown(
                creator: summary.creator,
                isContested: summary.isContested,
                name: summary.name,
                history: log.membership.intervals,
                posts: posts
            )
        }
        for deleted in try await store.deletedSessions() { state.deleted[deleted.id] = deleted.creator }
        return state
    }
}

enum Environment {
    static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

    /// The histories that a run makes: `LINKSTR_SESSION_SEEDS` of them, the first of which is `LINKSTR_SESSION_SEED`, so that one
    /// that failed can be made again alone.
    static func seeds(_ count: UInt64) -> Range<UInt64> {
        let first = number("LINKSTR_SESSION_SEED") ?? 0
        return first..<first + (number("LINKSTR_SESSION_SEEDS") ?? count)
    }
}

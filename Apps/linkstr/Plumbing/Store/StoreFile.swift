import CommandKit
import NostrEvents
import NostrStore
import SQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The event database of a command.
enum StoreFile {
    static let argument = Argument("FILE", .file, "The event database")

    /// Opens a database that must be there.
    static func open(_ path: String) async throws -> EventStore {
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(.localIO, "there is no event database \(path)")
        }
        return try await EventStore(.file(path))
    }

    /// Runs work on a database that must be there, and closes it.
    static func with(_ path: String, _ work: (EventStore) async throws -> Void) async throws {
        let store = try await open(path)
        do {
            try await work(store)
        } catch {
            try await store.close()
            throw error
        }
        try await store.close()
    }
}

extension Conversion where Value == Filter {
    /// A filter of NIP-01 as JSON.
    static var filter: Conversion { Conversion("JSON") { try Filter(json: $0) } }
}

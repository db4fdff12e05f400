import CommandKit
import LinkstrClient
import LinkstrSessions
import NostrCrypto
import NostrEvents

/// Does what commands ask of an account: in this process, or in a daemon.
protocol Performer: Sendable {
    /// Makes sure that what is known is what relays hold, before something is sent.
    func catchUp() async throws

    /// Tells what happens to the account as it happens, until the task is cancelled.
    func watch(_ session: String?, onlyNotable: Bool, _ item: @Sendable (JSONValue) async throws -> Void) async throws

    /// Performs an operation.
    func perform(_ operation: ClientOperation, _ arguments: JSONObject) async throws -> [JSONValue]
}

extension Performer {
    /// Performs an operation that gives one object.
    func one(_ operation: ClientOperation, _ arguments: JSONObject) async throws -> JSONValue {
        let all = try await perform(operation, arguments)
        guard let first = all.first else { throw CommandFailure(.unexpected, "\(operation.name) gave nothing") }
        return first
    }
}

/// Performs operations in this process. Nobody else can work on the home meanwhile.
struct LocalPerformer: Performer {
    private let call: OperationCall
    private let progress: Progress

    static func with<Result: Sendable>(
        _ invocation: Invocation,
        _ account: Bytes32,
        timeout: Duration?,
        _ body: (any Performer) async throws -> Result
    ) async throws -> Result {
        let home = try Work.home(invocation)
        let keys = try Work.keys(account, Accounts(home), invocation)
        guard !invocation[GlobalOptions.temporary] else {
            invocation.console.warn("temporary: the account begins empty, and what it receives is gone afterwards")
            return try await opened(invocation, home, keys, timeout, body)
        }
        let lock = try HomeLock(home)
        defer { withExtendedLifetime(lock) {} }
        return try await opened(invocation, home, keys, timeout, body)
    }

    private static func opened<Result: Sendable>(
        _ invocation: Invocation,
        _ home: Home,
        _ keys: AccountKeys,
        _ timeout: Duration?,
        _ body: (any Performer) async throws -> Result
    ) async throws -> Result {
        let console = invocation.console
        let progress = Progress(console, "messages read")
        defer { progress.finish() }
        return try await Work.withRuntime(of: keys, home, invocation) { runtime in
            let call = OperationCall(
                runtime,
                timeout: timeout,
                onWarning: { console.warn($0) },
                onProgress: { progress.update($0.count) }
            )
            return try await body(LocalPerformer(call: call, progress: progress))
        }
    }

    func catchUp() async throws {
        try await call.catchUpBeforeSending()
        progress.finish()
    }

    func watch(_ session: String?, onlyNotable: Bool, _ item: @Sendable (JSONValue) async throws -> Void) async throws {
        var wanted: JSONValue?
        if let session { wanted = try await one(.sessionShow, ["session": .string(session)])["id"] }
        let events = call.runtime.events()
        await call.runtime.start()
        for await event in events {
            try Task.checkCancellation()
            if onlyNotable, !event.isWorthNotifying { continue }
            let value = event.value
            if let wanted, value["session"] != wanted { continue }
            try await item(value)
        }
        try Task.checkCancellation()
    }

    func perform(_ operation: ClientOperation, _ arguments: JSONObject) async throws -> [JSONValue] {
        let result = try await operation.perform(arguments, call)
        progress.finish()
        return result
    }
}

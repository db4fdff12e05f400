import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// What commands that work with an account have in common.
enum Work {
    static func home(_ call: Invocation) throws -> Home {
        let variables = [
            "LINKSTR_HOME", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
        ]
        var environment: [String: String] = [:]
        for name in variables { environment[name] = Environment.value(name) }
        return try Home(directory: call[GlobalOptions.home], environment: environment)
    }

    static func accounts(_ call: Invocation) throws -> Accounts {
        Accounts(try home(call))
    }

    /// The account that `--account` names, or the chosen one.
    static func account(_ call: Invocation) throws -> Account {
        try accounts(call).find(call[GlobalOptions.account])
    }

    /// The keys of an account; asks for the passphrase of a locked one.
    static func keys(_ key: Bytes32, _ accounts: Accounts, _ call: Invocation) throws -> AccountKeys {
        guard try accounts.isLocked(key) else { return try accounts.open(key) }
        guard call[Passphrase.file] != nil || Console.canAsk else {
            throw CommandFailure(
                .notPermitted,
                "the account is locked, and there is no terminal to ask for its passphrase on: unlock it in a daemon with "
                    + "`linkstr account unlock --passphrase-file FILE`"
            )
        }
        return try accounts.open(key, passphrase: Passphrase.get(call))
    }

    /// Works on the home while nobody else does; a daemon leaves it alone meanwhile.
    /// - Parameter key: An account whose database must not be open.
    static func withHome<Result>(
        _ call: Invocation,
        closing key: Bytes32? = nil,
        _ body: @escaping (Accounts) async throws -> Result
    ) async throws -> Result {
        let accounts = try accounts(call)
        if let daemon = try await DaemonLink.connect(call) {
            return try await DaemonLink.borrowHome(daemon, closing: key) { try await body(accounts) }
        }
        let lock = try HomeLock(accounts.home)
        defer { withExtendedLifetime(lock) {} }
        return try await body(accounts)
    }

    /// Opens an account in this process, closed to everybody else; a daemon closes it meanwhile.
    static func withRuntime<Result: Sendable>(
        _ call: Invocation,
        _ account: Bytes32,
        _ body: @escaping (AccountRuntime, Accounts) async throws -> Result
    ) async throws -> Result {
        let keys = try keys(account, accounts(call), call)
        return try await withHome(call, closing: account) { accounts in
            try await withRuntime(of: keys, accounts.home, call) { try await body($0, accounts) }
        }
    }

    /// Opens an account whose home is this process's alone, and closes it whatever happens.
    static func withRuntime<Result>(
        of keys: AccountKeys,
        _ home: Home,
        _ call: Invocation,
        _ body: (AccountRuntime) async throws -> Result
    ) async throws -> Result {
        var options = try ClientOptions(home)
        options.isTemporary = call[GlobalOptions.temporary]
        if let timeout = call[GlobalOptions.timeout] { options.gateTime = timeout }
        options.pushService = Environment.value(PushClient.environmentVariable)
        let runtime = try await AccountRuntime.open(
            keys,
            home: home,
            relays: try home.relayList().enabled,
            options: options
        )
        do {
            let result = try await body(runtime)
            await runtime.close()
            return result
        } catch {
            await runtime.close()
            throw error
        }
    }

    /// Lends `body` what performs operations: the daemon that works on the home, or else this process.
    /// - Parameters:
    ///   - account: Another account than the one the command works with.
    ///   - timeout: How long relays are waited for where `--timeout` says nothing.
    static func withPerformer<Result: Sendable>(
        _ call: Invocation,
        account: Account? = nil,
        timeout: Duration? = nil,
        _ body: (any Performer) async throws -> Result
    ) async throws -> Result {
        let account = try account ?? self.account(call)
        let timeout = call[GlobalOptions.timeout] ?? timeout
        guard !call[GlobalOptions.temporary],
            let daemon = try await DaemonPerformer.connect(call, account.key, timeout: timeout)
        else { return try await LocalPerformer.with(call, account.key, timeout: timeout, body) }
        do {
            let result = try await body(daemon)
            await daemon.close()
            return result
        } catch {
            await daemon.close()
            throw error
        }
    }

    /// Performs one operation and prints what comes back.
    /// - Parameter text: The lines of an object for people.
    static func perform(
        _ call: Invocation,
        _ operation: ClientOperation,
        _ arguments: JSONObject = JSONObject(),
        text: @escaping @Sendable (JSONValue) -> [String]
    ) async throws {
        try await withPerformer(call) { performer in
            try await perform(performer, call, operation, arguments, text: text)
        }
    }

    static func perform(
        _ performer: any Performer,
        _ call: Invocation,
        _ operation: ClientOperation,
        _ arguments: JSONObject = JSONObject(),
        tryingAgain: Bool = false,
        text: (JSONValue) -> [String] = { _ in [] }
    ) async throws {
        for object in try await objects(performer, call, operation, arguments, tryingAgain: tryingAgain) {
            if call.console.usesJSON {
                try call.console.output.line(JSON(object))
            } else {
                for line in text(object) { try call.console.output.line(line) }
            }
        }
    }

    /// Performs an operation; on a terminal a sending that relays did not take is tried again for as long as the person wants. What
    /// was taken already does not go out twice.
    private static func objects(
        _ performer: any Performer,
        _ call: Invocation,
        _ operation: ClientOperation,
        _ arguments: JSONObject,
        tryingAgain: Bool
    ) async throws -> [JSONValue] {
        while true {
            do {
                return try await performer.perform(operation, arguments)
            } catch let failure as any ExitCoded {
                let isOfRelays = failure.exitCode == .unavailable || failure.exitCode == .timedOut
                guard tryingAgain, isOfRelays, Console.canAsk else { throw failure }
                let answer = try Confirmation.ask(call, failure.sentence + ". Try again? [Y/n]").lowercased()
                guard answer.isEmpty || answer == "y" || answer == "yes" else { throw failure }
            }
        }
    }
}

extension JSONObject {
    /// Arguments of an operation; what is nil is left out.
    init(_ members: [(String, JSONValue?)]) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}

extension JSONValue? {
    /// A text that may have been left out.
    static func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
    /// A number that may have been left out.
    static func number(_ value: Int64?) -> JSONValue? { value.map { .integer($0) } }
    /// A flag; left out unless it is set.
    static func flag(_ value: Bool) -> JSONValue? { value ? .bool(true) : nil }
}

extension JSON {
    /// The same value, to be printed.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let text): self = .string(text)
        case .number(let number): self = .integer(number.integer)
        case .array(let values): self = .array(values.map { JSON($0) })
        case .object(let object): self = .object(object.members.map { ($0.key, JSON($0.value)) })
        }
    }
}

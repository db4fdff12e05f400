public import CommandKit
public import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents

/// Has operations performed by a running daemon, whose state is current.
actor DaemonPerformer: Performer {
    private let client: ControlClient
    private let account: Bytes32
    private let console: Console
    private let timeout: Duration?

    private init(_ client: sending ControlClient, account: Bytes32, _ console: Console, timeout: Duration?) {
        self.client = client
        self.account = account
        self.console = console
        self.timeout = timeout
    }

    /// Connects to the daemon that works on the home; nil if there is none.
    static func connect(
        _ call: Invocation,
        _ account: Bytes32,
        timeout: Duration?
    ) async throws -> DaemonPerformer? {
        guard let client = try await DaemonLink.connect(call) else { return nil }
        return DaemonPerformer(client, account: account, call.console, timeout: timeout)
    }

    func catchUp() async throws {}

    func perform(_ operation: ClientOperation, _ arguments: JSONObject) async throws -> [JSONValue] {
        let parameters = JSONObject([
            ("account", .text(account.hex)), ("arguments", .object(arguments)),
            ("timeout", .number(timeout.map { Int64($0 / .milliseconds(1)) })),
        ])
        let progress = Progress(console, "messages read")
        defer { progress.finish() }
        let console = console
        // The daemon ends in time by itself, unless something is wrong with it.
        let silence = timeout.map { $0 + .seconds(5) } ?? .seconds(600)
        let answer = try await client.call(operation.name, RawJSON(.object(parameters)), silence: silence) {
            notice,
            told in
            switch notice {
            case "warning": console.warn(told["message"]?.string ?? "")
            case "progress": progress.update(Int(clamping: told["count"]?.integer ?? 0))
            default: break
            }
        }
        return try answer.value(limits: JSONLimits(size: .max)).array ?? []
    }

    func watch(_ session: String?, onlyNotable: Bool, _ item: @Sendable (JSONValue) async throws -> Void) async throws {
        let parameters = JSONObject([
            ("account", .text(account.hex)), ("session", .text(session)), ("notify", .flag(onlyNotable)),
        ])
        do {
            try await client.stream("subscribe", RawJSON(.object(parameters))) { value in
                try await item(try value.value())
            }
        } catch ControlError.closed {
            throw CommandFailure(.unavailable, "the daemon has ended, and with it what it tells")
        }
        throw CommandFailure(.unavailable, "the daemon tells no more of this account")
    }

    func close() async { await client.close() }
}

extension ControlError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .failed(.busy): .timedOut
        case .failed(.cancelled): .interrupted
        case .failed(let failure): ExitCode(rawValue: Int32(clamping: failure.code)) ?? .unexpected
        case .otherHome, .otherUser, .otherProtocol, .unsafeDirectory, .untrustedDirectory: .configuration
        case .notRunning, .closed: .unavailable
        case .timedOut: .timedOut
        case .cancelled: .interrupted
        case .malformed: .unexpected
        case .socket: .localIO
        }
    }
}

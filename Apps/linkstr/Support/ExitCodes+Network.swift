public import CommandKit
import NostrEvents
public import NostrRelay
public import NostrStore
public import NostrTransport
public import SQLite
public import Sockets
import WebSocket

extension SQLiteError: ExitCoded {
    public var exitCode: ExitCode { .localIO }
}

extension StoreError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .database, .inUse, .damagedEvent, .temporaryFile: .localIO
        case .searchUnavailable, .tooManyEvents: .badInput
        }
    }
}

extension RelayError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .cannotListen(.permissionDenied): .notPermitted
        case .cannotListen: .localIO
        case .unreadableManagementFile: .configuration
        }
    }
}

extension SocketsError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .timedOut: .timedOut
        case .tls(.badCredentials): .configuration
        default: .unavailable
        }
    }
}

extension TransportError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .noAnswer, .connection(.timedOut), .connection(.transport(.timedOut)), .information(.timedOut): .timedOut
        case .refused(let status) where status.prefix == .authenticationRequired || status.prefix == .restricted:
            .notPermitted
        case .cancelled: .interrupted
        default: .unavailable
        }
    }
}

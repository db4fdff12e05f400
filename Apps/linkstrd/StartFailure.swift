import CommandKit
import ControlSocket
import LinkstrClient
import NostrRelay
import NostrStore
import Sockets

/// Why the daemon did not start, and how it ends with that.
struct StartFailure: ExitCoded {
    let exitCode: ExitCode
    let description: String

    init(_ error: any Error) {
        description = "\(error)"
        exitCode =
            switch error {
            case let known as any ExitCoded: known.exitCode
            case let error as IdentityError: ExitCode(rawValue: error.code.rawValue) ?? .unexpected
            case is StoreError: .localIO
            case let error as RelayError: Self.code(error)
            case let error as SocketsError: Self.code(error)
            case ControlError.socket(let error): Self.code(error)
            case is ControlError: .notPermitted
            default: .unexpected
            }
    }

    private static func code(_ error: RelayError) -> ExitCode {
        if case .cannotListen(let error) = error { code(error) } else { .configuration }
    }

    private static func code(_ error: SocketsError) -> ExitCode {
        switch error {
        case .permissionDenied: .notPermitted
        case .invalidAddress: .configuration
        default: .localIO
        }
    }
}

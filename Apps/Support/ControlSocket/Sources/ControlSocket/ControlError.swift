public import Sockets

/// Why a daemon cannot be talked to.
public enum ControlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nobody listens at the path.
    case notRunning(path: String)
    /// The daemon that listens there works on another home.
    case otherHome(expected: String, found: String)
    /// Who listens at the path is another user.
    case otherUser(path: String)
    /// The daemon speaks another version of the protocol.
    case otherProtocol(Int64)
    /// What was asked for failed.
    case failed(RPCFailure)
    /// The daemon ended or closed the connection before it answered.
    case closed
    /// What the daemon sent is no answer.
    case malformed(String)
    /// The daemon said nothing for too long.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The directory of the socket is open to others, or somebody else's.
    case unsafeDirectory(path: String)
    /// The directory of the socket that was to be connected to is somebody else's, or others can write into it.
    case untrustedDirectory(path: String)
    /// The socket.
    case socket(SocketsError)

    public var description: String {
        switch self {
        case .notRunning(let path): "No daemon listens at \(path)."
        case .otherHome(let expected, let found): "The daemon works on \(found), not on \(expected)."
        case .otherUser(let path): "Another user listens at \(path), so nothing was asked there."
        case .otherProtocol(let version):
            "The daemon speaks version \(version) of the protocol, and this program version \(ControlHello.version): "
                + "restart the daemon after an upgrade."
        case .failed(let failure): failure.message
        case .closed: "The daemon ended before it answered."
        case .malformed(let reason): "The daemon sent what is no answer: \(reason)"
        case .timedOut: "The daemon did not answer in time."
        case .cancelled: "The request was cancelled."
        case .unsafeDirectory(let path):
            "The directory \(path) is open to others than its owner, so no socket is made in it; chmod 700 closes it."
        case .untrustedDirectory(let path):
            "The directory \(path) belongs to another user or others can write into it, so the socket in it is not trusted; "
                + "chmod 700 closes it."
        case .socket(let error): error.description
        }
    }
}

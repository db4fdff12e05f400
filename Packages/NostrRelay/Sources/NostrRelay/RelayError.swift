public import Sockets

/// Why a relay cannot be started.
public enum RelayError: Error, Equatable, Sendable {
    /// The address cannot be listened on.
    case cannotListen(SocketsError)
    /// The file that keeps what was decided by management calls cannot be read or holds something else. It is left as it
    /// is.
    case unreadableManagementFile(path: String)
}

extension RelayError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .cannotListen(let error): error.description
        case .unreadableManagementFile(let path): "The management file \(path) cannot be read or is damaged."
        }
    }
}

/// What can go wrong in this package: a case for each thing that a caller can act on.
public enum SocketsError: Error, Equatable, Sendable {
    /// What was being waited for when a deadline passed.
    public enum Wait: String, Equatable, Sendable {
        /// For the addresses of a name.
        case nameLookup = "looking up the name"
        /// For the other side to accept the connection.
        case connect = "connecting"
        /// For a proxy to make the connection.
        case proxyHandshake = "waiting for the proxy"
        /// For both sides to agree on TLS.
        case tlsHandshake = "the TLS handshake"
        /// For bytes to come.
        case read = "waiting for data"
        /// For room to send bytes.
        case write = "sending data"
        /// For the other side to close as well.
        case close = "closing the connection"
        /// For the head of an HTTP answer.
        case response = "waiting for the answer"
    }

    /// The operation did not finish before its deadline.
    case timedOut(Wait)
    /// The task that waited was cancelled.
    case cancelled
    /// The connection was already closed, or this side has already finished writing.
    case closed
    /// The peer ended the connection in the middle of something.
    case endedEarly
    /// The peer reset the connection.
    case connectionReset
    /// Nobody listens at the address, given as text.
    case connectionRefused(String)
    /// No way leads to the address, given as text.
    case unreachable(String)
    /// The name does not exist, or has no address.
    case nameNotFound(String)
    /// The name could not be looked up now; later it may work.
    case nameLookupFailed(String)
    /// Every address of the name was refused by the address policy; one of them as text.
    case addressRefused(String)
    /// A `.onion` name can be reached through a proxy only, and none is set.
    case onionNeedsProxy(String)
    /// The SOCKS5 proxy did not open the connection.
    case proxy(SOCKS5Failure)
    /// The text is no address, path or port that can be used.
    case invalidAddress(String)
    /// Another process listens at the address, given as text.
    case addressInUse(String)
    /// The system does not permit the operation on the address or path.
    case permissionDenied(String)
    /// The process or the system has no descriptor left.
    case tooManyDescriptors
    /// More was written than the connection's write buffer holds: the caller did not wait for room.
    case writeBufferFull
    /// The TLS session could not be set up, or broke.
    case tls(TLSFailure)
    /// The peer broke HTTP/1.1, or a limit of the exchange was reached.
    case http(HTTPFailure)
    /// The text is not a URL that this package can open; the reason says why.
    case invalidURL(reason: String)
    /// A system call failed in a way that no other case names.
    case system(call: String, code: Int32)
}

extension SocketsError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .timedOut(let wait): "The time limit for \(wait.rawValue) has passed."
        case .cancelled: "The operation was cancelled."
        case .closed: "The connection is closed."
        case .endedEarly: "The other side ended the connection too early."
        case .connectionReset: "The other side reset the connection."
        case .connectionRefused(let address): "Nobody answers at \(address)."
        case .unreachable(let address): "There is no way to reach \(address)."
        case .nameNotFound(let name): "There is no address for the name \(name)."
        case .nameLookupFailed(let name): "The name \(name) could not be looked up; try again later."
        case .addressRefused(let address): "Connecting to the address \(address) is not allowed."
        case .onionNeedsProxy(let name): "\(name) can be reached only through a SOCKS5 proxy such as Tor's."
        case .proxy(let failure): failure.description
        case .invalidAddress(let text): "\(text) is not an address that can be used."
        case .addressInUse(let address): "Another program already listens at \(address)."
        case .permissionDenied(let address): "The system does not permit using \(address)."
        case .tooManyDescriptors: "The system has no more descriptors for this program."
        case .writeBufferFull: "The other side does not take data fast enough."
        case .tls(let failure): failure.description
        case .http(let failure): failure.description
        case .invalidURL(let reason): "The URL cannot be used: \(reason)."
        case .system(let call, let code): "The system call \(call) failed: \(SystemCall.message(code))."
        }
    }
}

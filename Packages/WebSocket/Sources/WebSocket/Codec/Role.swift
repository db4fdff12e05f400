/// Which end of a connection this is: a client masks what it sends, a server must not (RFC 6455 section 5.1).
public enum Role: Hashable, Sendable {
    /// The end that opened the connection.
    case client
    /// The end that accepted it.
    case server
}

public import Negentropy
public import NostrEvents
public import Sockets
public import WebSocket

/// What can go wrong in this package: a case for each thing that a caller can act on.
public enum TransportError: Error, Equatable, Sendable {
    /// The connection to the relay could not be made, or broke.
    case connection(WebSocketError)
    /// The relay closed the connection in order; its close code and reason.
    case closedByRelay(code: CloseCode?, reason: String)
    /// The relay refused, in its own words (NIP-01).
    case refused(StatusMessage)
    /// The relay did not answer in time. The last NOTICE that it sent meanwhile, if any.
    case noAnswer(notice: String?)
    /// The relay's answer is not what it may be.
    case badAnswer
    /// The relay sent too many events whose id or signature is false, and was left.
    case forgedEvents
    /// The message is larger than the relay takes (NIP-11). Sizes in bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// The relay takes no more subscriptions at once than this (NIP-11), and they are in use.
    case subscriptionLimit(Int)
    /// More was found than the caller allowed for.
    case tooMuch(limit: Int)
    /// The relay is switched off here.
    case disabled
    /// The relay or the pool was stopped here.
    case stopped
    /// The task that waited was cancelled.
    case cancelled
    /// A reconciliation did not follow its protocol (NIP-77).
    case reconciliation(NegentropyError)
    /// The relay's information document could not be had over HTTP (NIP-11).
    case information(SocketsError)
    /// The web server answered with this status instead of an information document (NIP-11).
    case noInformation(status: Int)
}

extension TransportError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .connection(let error): error.description
        case .closedByRelay(_, let reason):
            reason.isEmpty ? "The relay closed the connection." : "The relay closed the connection: \(reason)"
        case .refused(let status):
            status.text.isEmpty ? "The relay refused without saying why." : "The relay refused: \(status.text)"
        case .noAnswer(let notice?): "The relay did not answer in time; it said: \(notice)"
        case .noAnswer(nil): "The relay did not answer in time."
        case .badAnswer: "The relay's answer makes no sense."
        case .forgedEvents: "The relay sent too many forged events."
        case .tooLarge(let bytes, let limit): "\(bytes) bytes are more than the \(limit) that the relay takes."
        case .subscriptionLimit(let limit): "The relay takes no more than \(limit) subscriptions at once."
        case .tooMuch(let limit): "There is more than the limit of \(limit)."
        case .disabled: "The relay is disabled."
        case .stopped: "The connection to the relay was stopped."
        case .cancelled: "The operation was cancelled."
        case .reconciliation(let error): error.description
        case .information(let error): error.description
        case .noInformation(let status):
            "The web server answered with status \(status) instead of the relay's information."
        }
    }
}

/// What the opening handshake has settled.
struct HandshakeAgreement: Equatable, Sendable {
    var subprotocol: String?
    var compression: CompressionParameters?
}

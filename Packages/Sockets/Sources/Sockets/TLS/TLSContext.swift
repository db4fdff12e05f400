import COpenSSL

/// An `SSL_CTX` with what client and server have in common: TLS 1.2 and later, memory given back when idle.
///
/// `@unchecked Sendable`: the context is set up before it is shared; afterwards OpenSSL locks it itself.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// What the callbacks of OpenSSL are given; it must live as long as the context.
    private var kept: AnyObject?

    // SSL_OP_NO_RENEGOTIATION and SSL_OP_NO_COMPRESSION: macros that Swift does not see.
    private static let noRenegotiation = UInt64(1) << 30
    private static let noCompression = UInt64(1) << 17

    init(_ method: OpaquePointer?) throws(SocketsError) {
        guard let pointer = SSL_CTX_new(method) else { throw .tls(.other(code: ERR_get_error())) }
        self.pointer = pointer
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        _ = SSL_CTX_ctrl(
            pointer,
            SSL_CTRL_MODE,
            Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER),
            nil
        )
        SSL_CTX_set_options(pointer, Self.noRenegotiation | Self.noCompression)
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    func keep(_ object: AnyObject) {
        kept = object
    }

    /// The wire form of a protocol list (RFC 7301): each name after its length.
    static func wireForm(_ protocols: [String]) throws(SocketsError) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in protocols {
            let name = Array(name.utf8)
            guard (1...255).contains(name.count) else {
                throw .tls(.badCredentials("an application protocol name of \(name.count) bytes"))
            }
            bytes.append(UInt8(name.count))
            bytes += name
        }
        return bytes
    }
}

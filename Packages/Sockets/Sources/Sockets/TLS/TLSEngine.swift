import COpenSSL

/// One `SSL` between two memory BIOs: bytes in, bytes out, no socket.
///
/// Loop-confined: used by one ``TLSStream`` on its loop.
final class TLSEngine {
    enum Handshake { case done, wantsMore, failed(TLSFailure) }
    enum Reading { case more, wantsMore, ended, failed(TLSFailure) }

    private let ssl: OpaquePointer
    /// What the peer has sent, and what is to be sent to it. Owned by `ssl`.
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let host: String
    private let context: TLSContext
    private var owner: TLSSessionOwner?

    init(client: TLSClient, host: String, port: UInt16) throws(SocketsError) {
        context = client.context
        self.host = host
        (ssl, input, output) = try Self.make(client.context)
        owner = try client.prepare(ssl, host: host, port: port)
        SSL_set_connect_state(ssl)
    }

    init(server: TLSServer) throws(SocketsError) {
        context = server.context
        host = ""
        (ssl, input, output) = try Self.make(server.context)
        SSL_set_accept_state(ssl)
    }

    private static func make(
        _ context: TLSContext
    ) throws(SocketsError) -> (OpaquePointer, OpaquePointer, OpaquePointer) {
        guard let ssl = SSL_new(context.pointer) else { throw .tls(.other(code: ERR_get_error())) }
        guard let input = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw .tls(.other(code: ERR_get_error()))
        }
        guard let output = BIO_new(BIO_s_mem()) else {
            BIO_free(input)
            SSL_free(ssl)
            throw .tls(.other(code: ERR_get_error()))
        }
        // An empty BIO means "later", not "the end".
        for bio in [input, output] { _ = BIO_ctrl(bio, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil) }
        SSL_set_bio(ssl, input, output)
        return (ssl, input, output)
    }

    deinit {
        // Or OpenSSL would forbid resuming the session of a connection that was dropped without ceremony.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
    }

    // MARK: Handshake

    func handshake() -> Handshake {
        ERR_clear_error()
        let code = SSL_do_handshake(ssl)
        if code == 1 { return .done }
        switch SSL_get_error(ssl, code) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsMore
        default: return .failed(TLSFailure(ssl, host: host))
        }
    }

    var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    var version: String { SSL_get_version(ssl).map { String(cString: $0) } ?? "" }

    // MARK: Bytes

    func feed(_ bytes: UnsafeRawBufferPointer) {
        _ = BIO_write(input, bytes.baseAddress, Int32(clamping: bytes.count))
    }

    /// Decrypts as much as fits.
    func decrypt(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, Reading) {
        ERR_clear_error()
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = SSL_read(ssl, rest.baseAddress, Int32(clamping: rest.count))
            if count > 0 {
                filled += Int(count)
                continue
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return (filled, .wantsMore)
            case SSL_ERROR_ZERO_RETURN: return (filled, .ended)
            default: return (filled, .failed(TLSFailure(ssl, host: host)))
            }
        }
        return (filled, .more)
    }

    /// Encrypts; memory takes everything.
    func encrypt(_ bytes: UnsafeRawBufferPointer) {
        ERR_clear_error()
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = SSL_write(ssl, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { return }
            done += Int(count)
        }
    }

    /// Tells the peer that no more will come.
    func sendClosing() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
        while true {
            let pending = Int(BIO_ctrl(output, BIO_CTRL_PENDING, 0, nil))
            guard pending > 0 else { return }
            withUnsafeTemporaryAllocation(byteCount: min(pending, 128 * 1024), alignment: 16) { buffer in
                let count = BIO_read(output, buffer.baseAddress, Int32(clamping: buffer.count))
                guard count > 0 else { return }
                body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            }
        }
    }
}

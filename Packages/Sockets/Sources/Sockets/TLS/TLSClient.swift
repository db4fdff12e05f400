import COpenSSL

/// The client side of TLS: trust, and the sessions that can be resumed. Make one and share it; from anywhere.
public final class TLSClient: Sendable {
    let context: TLSContext
    let verification: TLSConfiguration.Verification
    private let sessions: TLSSessionStore

    private static let shared: Result<TLSClient, SocketsError> = Result { () throws(SocketsError) in
        try TLSClient(TLSConfiguration())
    }

    /// The client of the process: full verification with the issuers that the system trusts.
    ///
    /// - Throws: ``SocketsError/tls(_:)`` when OpenSSL cannot be set up.
    public static func system() throws(SocketsError) -> TLSClient {
        try shared.get()
    }

    /// - Throws: ``SocketsError/tls(_:)`` with ``TLSFailure/badCredentials(_:)`` when the file of extra issuers cannot be
    ///   read or holds none.
    public init(_ configuration: TLSConfiguration) throws(SocketsError) {
        context = try TLSContext(TLS_client_method())
        verification = configuration.verification
        sessions = TLSSessionStore(limit: configuration.sessionCacheSize)
        switch configuration.verification {
        case .full: SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        case .insecureAcceptAnyCertificate: SSL_CTX_set_verify(context.pointer, SSL_VERIFY_NONE, nil)
        }
        if configuration.trustsSystemAuthorities { SSL_CTX_set_default_verify_paths(context.pointer) }
        if let file = configuration.extraAuthoritiesFile {
            guard SSL_CTX_load_verify_locations(context.pointer, file, nil) == 1 else {
                ERR_clear_error()
                throw .tls(.badCredentials("no certificates can be read from \(file)"))
            }
        }
        let protocols = try TLSContext.wireForm(configuration.applicationProtocols)
        if !protocols.isEmpty {
            _ = SSL_CTX_set_alpn_protos(context.pointer, protocols, UInt32(protocols.count))
        }
        if configuration.sessionCacheSize > 0 {
            _ = SSL_CTX_ctrl(
                context.pointer,
                SSL_CTRL_SET_SESS_CACHE_MODE,
                Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL),
                nil
            )
            SSL_CTX_sess_set_new_cb(context.pointer) { ssl, session in
                guard let session, let owner = SSL_get_ex_data(ssl, 0) else { return 0 }
                return Unmanaged<TLSSessionOwner>.fromOpaque(owner).takeUnretainedValue().store(session) ? 1 : 0
            }
        }
    }

    /// Prepares a connection: the name to send and to verify, and a session to resume.
    func prepare(_ ssl: OpaquePointer, host: String, port: UInt16) throws(SocketsError) -> TLSSessionOwner {
        if IPAddress(host) == nil {
            let name = host.hasSuffix(".") ? String(host.dropLast()) : host
            guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else { throw .invalidAddress(host) }
            var sent = Array(name.utf8CString)
            _ = SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &sent)
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard SSL_set1_host(ssl, name) == 1 else { throw .invalidAddress(host) }
        } else {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 else { throw .invalidAddress(host) }
        }
        let owner = TLSSessionOwner(sessions, key: "\(host.lowercased()):\(port)")
        owner.resume(ssl)
        _ = SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(owner).toOpaque())
        return owner
    }
}

extension TLSClient {
    /// Sets up TLS on a stream that leads to a host already. May be called from any task; nobody else may use the stream.
    ///
    /// - Parameters:
    ///   - stream: the stream below.
    ///   - host: the name or address to verify the certificate for.
    ///   - port: with the host, the key under which sessions are kept.
    ///   - time: how long the handshake may take.
    /// - Throws: ``SocketsError/tls(_:)`` and ``SocketsError/timedOut(_:)``; the stream is closed then.
    public func connect(
        _ stream: any ByteStream,
        host: String,
        port: UInt16,
        within time: Duration = .seconds(15)
    ) async throws(SocketsError) -> TLSStream {
        let deadline = await stream.loop.currentTime().advanced(by: time)
        return try await TLSStream.connect(over: stream, with: self, host: host, port: port, until: deadline)
    }
}

import COpenSSL

/// The server side of TLS: a certificate chain with its key. Make one and share it; from anywhere.
public final class TLSServer: Sendable {
    let context: TLSContext

    private final class Protocols {
        let wire: [UInt8]
        init(_ wire: [UInt8]) { self.wire = wire }
    }

    /// - Parameters:
    ///   - certificateChainFile: PEM: the server's certificate, then those it rests on.
    ///   - privateKeyFile: PEM, not encrypted.
    ///   - applicationProtocols: those to agree to (ALPN), the preferred first. A client that offers others only is refused.
    /// - Throws: ``SocketsError/tls(_:)`` with ``TLSFailure/badCredentials(_:)``.
    public init(
        certificateChainFile: String,
        privateKeyFile: String,
        applicationProtocols: [String] = []
    ) throws(SocketsError) {
        context = try TLSContext(TLS_server_method())
        defer { ERR_clear_error() }
        guard SSL_CTX_use_certificate_chain_file(context.pointer, certificateChainFile) == 1 else {
            throw .tls(.badCredentials("no certificate can be read from \(certificateChainFile)"))
        }
        guard SSL_CTX_use_PrivateKey_file(context.pointer, privateKeyFile, SSL_FILETYPE_PEM) == 1 else {
            throw .tls(.badCredentials("no key that fits the certificate can be read from \(privateKeyFile)"))
        }
        let identifier = Array("sockets".utf8)
        SSL_CTX_set_session_id_context(context.pointer, identifier, UInt32(identifier.count))
        let wire = try TLSContext.wireForm(applicationProtocols)
        guard !wire.isEmpty else { return }
        let protocols = Protocols(wire)
        context.keep(protocols)
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { _, chosen, chosenLength, offered, offeredLength, argument in
                guard let chosen, let argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                let wire = Unmanaged<Protocols>.fromOpaque(argument).takeUnretainedValue().wire
                var found: UnsafeMutablePointer<UInt8>?
                let outcome = SSL_select_next_proto(
                    &found,
                    chosenLength,
                    wire,
                    UInt32(wire.count),
                    offered,
                    offeredLength
                )
                guard outcome == OPENSSL_NPN_NEGOTIATED, let found, let offered, let chosenLength else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                // The choice must outlive this call, so it points into the client's offer, not into our copy.
                let offer = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                let name = UnsafeBufferPointer(start: found, count: Int(chosenLength.pointee))
                var index = 0
                while index < offer.count {
                    let start = index + 1
                    let end = start + Int(offer[index])
                    if end <= offer.count, offer[start..<end].elementsEqual(name) {
                        chosen.pointee = offered + start
                        return SSL_TLSEXT_ERR_OK
                    }
                    index = end
                }
                return SSL_TLSEXT_ERR_ALERT_FATAL
            },
            Unmanaged.passUnretained(protocols).toOpaque()
        )
    }

    /// Sets up TLS on a stream that a ``Listener`` has accepted. May be called from any task; the stream must not have
    /// been started.
    ///
    /// - Throws: ``SocketsError/tls(_:)`` and ``SocketsError/timedOut(_:)``; the stream is closed then.
    public func accept(
        _ stream: any ByteStream,
        within time: Duration = .seconds(15)
    ) async throws(SocketsError) -> TLSStream {
        let deadline = await stream.loop.currentTime().advanced(by: time)
        return try await TLSStream.accept(over: stream, with: self, until: deadline)
    }
}

import Locking
import COpenSSL

/// Sessions by host and port, of bounded number.
///
/// `Sendable`: the pointers are counted references to sessions, which OpenSSL shares among threads, behind a lock.
final class TLSSessionStore: Sendable {
    private struct State {
        var sessions: [String: OpaquePointer] = [:]
        var order: [String] = []
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    deinit {
        state.withLock { for session in $0.sessions.values { SSL_SESSION_free(session) } }
    }

    /// Takes over the reference.
    func store(_ session: OpaquePointer, for key: String) -> Bool {
        guard limit > 0 else { return false }
        state.withLock { state in
            if let old = state.sessions.updateValue(session, forKey: key) {
                SSL_SESSION_free(old)
                return
            }
            state.order.append(key)
            guard state.order.count > limit else { return }
            let oldest = state.order.removeFirst()
            if let session = state.sessions.removeValue(forKey: oldest) { SSL_SESSION_free(session) }
        }
        return true
    }

    /// Gives a session to a connection. One of TLS 1.3 is used once, so that nobody can link connections by it (RFC 8446 C.4).
    func resume(_ ssl: OpaquePointer, _ key: String) {
        state.withLock { state in
            guard let session = state.sessions[key] else { return }
            SSL_set_session(ssl, session)
            guard SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION else { return }
            state.sessions[key] = nil
            state.order.removeAll { $0 == key }
            SSL_SESSION_free(session)
        }
    }
}

/// Where the sessions of one connection go. The connection's `SSL` points to it and is freed first.
final class TLSSessionOwner: Sendable {
    private let store: TLSSessionStore
    private let key: String

    init(_ store: TLSSessionStore, key: String) {
        self.store = store
        self.key = key
    }

    func store(_ session: OpaquePointer) -> Bool { store.store(session, for: key) }
    func resume(_ ssl: OpaquePointer) { store.resume(ssl, key) }
}

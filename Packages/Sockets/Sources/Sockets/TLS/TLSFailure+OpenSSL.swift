import COpenSSL

extension TLSFailure {
    /// Why the last call for a connection failed, from its verification result and the thread's error queue.
    init(_ ssl: OpaquePointer, host: String) {
        // The first error is the cause; later ones are its consequences.
        let code = ERR_get_error()
        ERR_clear_error()
        let verification = SSL_get_verify_result(ssl)
        if SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE, verification != X509_V_OK {
            self = Self.verification(Int(verification), host)
        } else {
            self = Self.library(code)
        }
    }

    private static func verification(_ code: Int, _ host: String) -> TLSFailure {
        switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongHost(host)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .selfSigned
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .unknownIssuer
        case X509_V_ERR_CERT_REVOKED: .certificateRevoked
        default: .certificateRefused(code: code)
        }
    }

    private static func library(_ code: UInt) -> TLSFailure {
        // ERR_GET_LIB and ERR_GET_REASON are functions of the header that Swift does not see on every version.
        guard code >> 31 == 0, code >> 23 & 0xff == UInt(ERR_LIB_SSL) else { return .other(code: code) }
        let reason = Int32(truncatingIfNeeded: code & 0x7f_ffff)
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW,
            SSL_R_NO_PROTOCOLS_AVAILABLE:
            return .protocolTooOld
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_UNKNOWN_PROTOCOL,
            SSL_R_RECORD_LENGTH_MISMATCH, SSL_R_PACKET_LENGTH_TOO_LONG:
            return .notTLS
        case SSL_R_NO_SHARED_CIPHER: return .noCommonCipher
        case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL: return .noCommonProtocol
        // SSL_AD_REASON_OFFSET: an alert that the peer has sent.
        case 1000...1255: return .alert(UInt8(reason - 1000))
        default: return .other(code: code)
        }
    }
}

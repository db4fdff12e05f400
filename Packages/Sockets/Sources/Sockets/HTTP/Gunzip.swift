import CZlib

/// Inflates one gzip stream piece by piece (RFC 1952) and stops at a limit, not behind it.
///
/// Confined to one task.
final class Gunzip {
    private var stream = z_stream()
    private let limit: Int
    private var total = 0
    private(set) var isComplete = false
    private var chunk = [UInt8](repeating: 0, count: 32 * 1024)

    init(limit: Int) throws(SocketsError) {
        self.limit = limit
        // 16: gzip and nothing else.
        let code = inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .http(.malformedCompression) }
    }

    deinit {
        inflateEnd(&stream)
    }

    /// - Throws: ``HTTPFailure/inflatedBodyTooLarge``, with the output up to the limit appended, and
    ///   ``HTTPFailure/malformedCompression``.
    func feed(_ bytes: ArraySlice<UInt8>, into output: inout [UInt8]) throws(SocketsError) {
        guard !bytes.isEmpty else { return }
        // Something behind the end.
        guard !isComplete else { throw .http(.malformedCompression) }
        var input = Array(bytes)
        let failure: HTTPFailure? = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            while true {
                let capacity = chunk.count
                let code = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(capacity)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                let produced = capacity - Int(stream.avail_out)
                output += chunk[..<min(produced, limit - total)]
                guard produced <= limit - total else { return .inflatedBodyTooLarge }
                total += produced
                switch code {
                case Z_STREAM_END:
                    isComplete = true
                    return stream.avail_in == 0 ? nil : .malformedCompression
                case Z_OK:
                    if stream.avail_in == 0, stream.avail_out > 0 { return nil }
                case Z_BUF_ERROR:
                    return nil
                default:
                    return .malformedCompression
                }
            }
        }
        stream.next_in = nil
        stream.next_out = nil
        if let failure { throw .http(failure) }
    }
}

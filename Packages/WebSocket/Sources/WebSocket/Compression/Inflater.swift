import CZlib

/// One raw inflate stream (RFC 1951 by zlib) for the messages of one direction of a connection (RFC 7692).
///
/// Its window is always the largest, whatever was negotiated: zlib holds a distance against the window and against what
/// the same call has given out, so with a smaller one a message that reaches too far back would pass when it comes in one
/// piece and fail when it comes in several.
///
/// Not Sendable by itself: whoever holds it is its only user.
@safe final class Inflater {
    /// Whether a message may refer to the ones before it.
    private let keepsContext: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private var finalBlocks = 0
    private var hasEnded = false

    /// Bytes inflated at once. The block is borrowed for one call, so an idle connection holds none.
    private static let chunk = 16 << 10
    /// Blocks with the final bit that one message may hold. Each costs a reset, and an honest sender needs at most one.
    private static let mostFinalBlocks = 16

    private static let windowBits: Int32 = 15

    /// Nil when there is no memory for the stream.
    init?(keepsContext: Bool) {
        self.keepsContext = keepsContext
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe self.stream = stream
        let result = unsafe inflateInit2_(
            stream,
            -Self.windowBits,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard result == Z_OK else {
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Inflates a piece of a message and appends it to `output`, which never grows beyond `limit` bytes.
    func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8],
        limit: Int
    ) throws(ProtocolViolation) {
        guard unsafe !input.isEmpty else { return }
        var failure: ProtocolViolation?
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 16) { space in
            failure = unsafe run(input, space: space, into: &output, limit: limit)
        }
        if let failure { throw failure }
    }

    /// Ends a message: what the sender left off (RFC 7692 section 7.2.2) is put back, and the stream must then stand
    /// between two blocks.
    func finishMessage(into output: inout [UInt8], limit: Int) throws(ProtocolViolation) {
        if !hasEnded {
            let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
            var failure: ProtocolViolation?
            unsafe tail.withUnsafeBytes { bytes in
                do throws(ProtocolViolation) {
                    try unsafe inflate(bytes, into: &output, limit: limit)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            let standsBetweenBlocks = unsafe stream.pointee.data_type & 128 != 0
            guard hasEnded || standsBetweenBlocks else { throw .corruptCompression }
        }
        finalBlocks = 0
        if hasEnded, keepsContext {
            try restart()
        } else if !keepsContext {
            reset()
        }
    }

    /// Forgets everything, so that another connection can use the stream.
    func reset() {
        unsafe _ = inflateReset(stream)
        finalBlocks = 0
        hasEnded = false
    }

    private func run(
        _ input: UnsafeRawBufferPointer,
        space: UnsafeMutableRawBufferPointer,
        into output: inout [UInt8],
        limit: Int
    ) -> ProtocolViolation? {
        guard let begin = unsafe input.bindMemory(to: UInt8.self).baseAddress,
            let room = unsafe space.bindMemory(to: UInt8.self).baseAddress
        else { return nil }
        // zlib counts in 32 bits: a longer input goes in several pieces.
        var taken = 0
        let total = input.count
        while taken < total || (unsafe stream.pointee.avail_in) > 0 {
            if unsafe stream.pointee.avail_in == 0 {
                let piece = min(total - taken, 1 << 30)
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: begin + taken)
                unsafe stream.pointee.avail_in = UInt32(piece)
                taken += piece
            }
            if let failure = unsafe drain(room, space.count, into: &output, limit: limit) {
                unsafe stream.pointee.avail_in = 0
                return failure
            }
        }
        return nil
    }

    /// Inflates until the piece is used up or a final block ends.
    private func drain(
        _ room: UnsafeMutablePointer<UInt8>,
        _ size: Int,
        into output: inout [UInt8],
        limit: Int
    ) -> ProtocolViolation? {
        if hasEnded {
            do throws(ProtocolViolation) { try restart() } catch { return error }
        }
        while true {
            // One byte more than allowed is enough to see that there is more.
            let space = min(size - 1, limit - output.count) + 1
            unsafe stream.pointee.next_out = room
            unsafe stream.pointee.avail_out = UInt32(space)
            let result = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
            let produced = space - Int(unsafe stream.pointee.avail_out)
            let taken = min(produced, limit - output.count)
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: room, count: taken))
            guard taken == produced else { return .inflatedMessageTooLarge(limit: limit) }
            switch result {
            case Z_STREAM_END:
                finalBlocks += 1
                hasEnded = true
                return finalBlocks > Self.mostFinalBlocks ? .corruptCompression : nil
            case Z_OK, Z_BUF_ERROR:
                if unsafe stream.pointee.avail_in == 0, unsafe stream.pointee.avail_out > 0 { return nil }
                if result == Z_BUF_ERROR, produced == 0 { return .corruptCompression }
            default:
                return .corruptCompression
            }
        }
    }

    /// Begins the next stream after a final block, with the window of the last one (RFC 7692 section 7.2.3.4).
    private func restart() throws(ProtocolViolation) {
        hasEnded = false
        var dictionary = [UInt8](repeating: 0, count: 32 << 10)
        var length: UInt32 = 0
        let kept = unsafe dictionary.withUnsafeMutableBufferPointer { buffer in
            unsafe inflateGetDictionary(stream, buffer.baseAddress, &length)
        }
        guard kept == Z_OK, unsafe inflateReset(stream) == Z_OK else { throw .corruptCompression }
        guard length > 0 else { return }
        let given = unsafe dictionary.withUnsafeBufferPointer { buffer in
            unsafe inflateSetDictionary(stream, buffer.baseAddress, length)
        }
        guard given == Z_OK else { throw .corruptCompression }
    }
}

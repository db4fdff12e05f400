import CZlib

/// One raw deflate stream for the messages of one direction of a connection (RFC 7692 section 7.2.1).
///
/// Not Sendable by itself: whoever holds it is its only user.
@safe final class Deflater {
    let windowBits: Int
    let level: Int
    private let stream: UnsafeMutablePointer<z_stream>

    private static let chunk = 16 << 10

    /// Nil when there is no memory for the stream. `windowBits` is 8 to 15, `level` 1 (fast) to 9 (small).
    init?(windowBits: Int, level: Int) {
        self.windowBits = windowBits
        self.level = level
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe self.stream = stream
        // zlib has no raw deflate with a window of 2^8. With 2^9 it never refers further back than 2^9 - 262 = 250
        // bytes, so what it writes suits a receiver with the smaller window.
        let result = unsafe deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            Int32(-max(9, windowBits)),
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard result == Z_OK else { return nil }
    }

    deinit {
        unsafe _ = deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets the messages so far, so that the next one refers to none of them.
    func reset() {
        unsafe _ = deflateReset(stream)
    }

    /// Appends the compressed message, without the four bytes that end every message, to `output`.
    func deflate(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        let start = output.count
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 16) { space in
            guard let room = unsafe space.bindMemory(to: UInt8.self).baseAddress else { return }
            let begin = unsafe input.bindMemory(to: UInt8.self).baseAddress
            let total = input.count
            var taken = 0
            repeat {
                let piece = min(total - taken, 1 << 30)
                unsafe stream.pointee.next_in = begin.map { unsafe UnsafeMutablePointer(mutating: $0 + taken) }
                unsafe stream.pointee.avail_in = UInt32(piece)
                taken += piece
                let flush = taken == total ? Z_SYNC_FLUSH : Z_NO_FLUSH
                repeat {
                    unsafe stream.pointee.next_out = room
                    unsafe stream.pointee.avail_out = UInt32(space.count)
                    unsafe _ = CZlib.deflate(stream, flush)
                    let produced = unsafe space.count - Int(stream.pointee.avail_out)
                    unsafe output.append(contentsOf: UnsafeBufferPointer(start: room, count: produced))
                } while unsafe stream.pointee.avail_out == 0
            } while taken < total
        }
        if output.count - start >= 4 {
            output.removeLast(4)
        }
        // A flush with nothing new writes nothing: an empty message is one empty stored block (section 7.2.3.6).
        if output.count == start { output.append(0) }
    }
}

/// Messages and control frames in, bytes out (RFC 6455 section 5, RFC 7692): no sockets, no clock.
public struct MessageEncoder: ~Copyable {
    private let role: Role
    private let compression: CompressionParameters?
    private let settings: CompressionSettings
    private let pool: CompressionPool
    private let nextKey: @Sendable () -> UInt32
    private var ownDeflater: Deflater?
    private var scratch: [UInt8] = []

    /// An encoder for what the end with this role sends.
    ///
    /// - Parameters:
    ///   - role: this end's role: a client masks every frame.
    ///   - compression: what the handshake agreed on, nil without permessage-deflate.
    ///   - settings: which messages are compressed, and how.
    ///   - pool: where a deflate stream is borrowed from when no context is kept.
    ///   - maskKey: gives an unpredictable key for each frame (RFC 6455 section 5.3).
    public init(
        role: Role,
        compression: CompressionParameters? = nil,
        settings: CompressionSettings = CompressionSettings(),
        pool: CompressionPool = .shared,
        maskKey: @escaping @Sendable () -> UInt32 = { UInt32.random(in: .min ... .max) }
    ) {
        self.role = role
        self.compression = compression
        self.settings = settings
        self.pool = pool
        nextKey = maskKey
    }

    /// Appends a message as one frame, or as several when `fragmentBytes` is given.
    ///
    /// - Parameters:
    ///   - message: what to send.
    ///   - output: where the frames are appended.
    ///   - fragmentBytes: the most payload a frame may have, at least 1.
    public mutating func append(
        _ message: WebSocketMessage,
        to output: inout [UInt8],
        fragmentBytes: Int = .max
    ) {
        unsafe message.bytes.withUnsafeBytes { payload in
            unsafe append(message.kind, payload, to: &output, fragmentBytes: max(1, fragmentBytes))
        }
    }

    /// Appends a ping. More than 125 bytes of payload are cut off.
    public mutating func appendPing(_ payload: [UInt8] = [], to output: inout [UInt8]) {
        appendControl(.ping, payload, to: &output)
    }

    /// Appends a pong. More than 125 bytes of payload are cut off.
    public mutating func appendPong(_ payload: [UInt8], to output: inout [UInt8]) {
        appendControl(.pong, payload, to: &output)
    }

    /// Appends a close frame. A code that may not be on the wire is left out together with the reason, which is cut
    /// to 123 bytes at the border of a character.
    public mutating func appendClose(_ code: CloseCode?, reason: String = "", to output: inout [UInt8]) {
        guard let code, code.mayBeSent else { return appendControl(.close, [], to: &output) }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason.unicodeScalars {
            let bytes = Array(String(character).utf8)
            guard payload.count + bytes.count <= 125 else { break }
            payload += bytes
        }
        appendControl(.close, payload, to: &output)
    }

    private mutating func appendControl(_ opcode: Opcode, _ payload: [UInt8], to output: inout [UInt8]) {
        unsafe payload.prefix(125).withUnsafeBytes { bytes in
            unsafe appendFrame(opcode, bytes, isFinal: true, isCompressed: false, to: &output)
        }
    }

    private mutating func append(
        _ kind: WebSocketMessage.Kind,
        _ payload: UnsafeRawBufferPointer,
        to output: inout [UInt8],
        fragmentBytes: Int
    ) {
        let opcode: Opcode = kind == .text ? .text : .binary
        guard compression != nil, payload.count >= settings.threshold, unsafe compress(payload) else {
            return unsafe appendFrames(opcode, payload, false, to: &output, fragmentBytes: fragmentBytes)
        }
        let compressed = scratch
        scratch = []
        unsafe compressed.withUnsafeBytes { bytes in
            unsafe appendFrames(opcode, bytes, true, to: &output, fragmentBytes: fragmentBytes)
        }
        if compressed.capacity <= Self.mostKept {
            scratch = compressed
        }
    }

    private mutating func appendFrames(
        _ opcode: Opcode,
        _ payload: UnsafeRawBufferPointer,
        _ isCompressed: Bool,
        to output: inout [UInt8],
        fragmentBytes: Int
    ) {
        var start = 0
        repeat {
            let end = start + min(fragmentBytes, payload.count - start)
            unsafe appendFrame(
                start == 0 ? opcode : .continuation,
                UnsafeRawBufferPointer(rebasing: payload[start..<end]),
                isFinal: end == payload.count,
                isCompressed: isCompressed && start == 0,
                to: &output
            )
            start = end
        } while start < payload.count
    }

    private mutating func appendFrame(
        _ opcode: Opcode,
        _ payload: UnsafeRawBufferPointer,
        isFinal: Bool,
        isCompressed: Bool,
        to output: inout [UInt8]
    ) {
        var header = FrameHeader(
            isFinal: isFinal,
            isCompressed: isCompressed,
            opcode: opcode,
            length: payload.count
        )
        if role == .client { header.mask = Mask(key: nextKey()) }
        header.append(to: &output)
        let start = output.count
        unsafe output.append(contentsOf: payload)
        guard var mask = header.mask else { return }
        unsafe output.withUnsafeMutableBytes { all in
            unsafe mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
    }

    /// Compresses into `scratch`; false when there is no memory for a stream.
    private mutating func compress(_ payload: UnsafeRawBufferPointer) -> Bool {
        guard let compression else { return false }
        let bits = role == .server ? compression.serverMaxWindowBits : compression.clientMaxWindowBits
        let mustForget = role == .server ? compression.serverNoContextTakeover : compression.clientNoContextTakeover
        scratch.removeAll(keepingCapacity: true)
        guard settings.keepsContext, !mustForget else {
            return pool.withDeflater(windowBits: bits, level: settings.level) { deflater in
                unsafe deflater?.deflate(payload, into: &scratch)
                return deflater != nil
            }
        }
        if ownDeflater == nil { ownDeflater = Deflater(windowBits: bits, level: settings.level) }
        unsafe ownDeflater?.deflate(payload, into: &scratch)
        return ownDeflater != nil
    }

    private static let mostKept = 4 << 10
}

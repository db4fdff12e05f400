/// Bytes in, messages and control frames out (RFC 6455 section 5, RFC 7692): no sockets, no clock.
///
/// Nothing is buffered but the message that is being received and a frame head that came in pieces: the caller gives a
/// span again and again until it is used up, and may stop between two events and go on later.
///
/// ```swift
/// var offset = 0
/// while let event = try decoder.next(in: bytes, at: &offset) { handle(event) }
/// ```
public struct MessageDecoder: ~Copyable {
    /// What has come in whole.
    public enum Event: Equatable, Sendable {
        /// A message; text is valid UTF-8.
        case message(WebSocketMessage)
        /// A ping, to be answered by a pong with the same bytes (at most 125).
        case ping([UInt8])
        /// A pong with its bytes (at most 125).
        case pong([UInt8])
        /// The close frame. Nothing that follows it is looked at.
        case close(CloseCode?, reason: String)
    }

    private let role: Role
    private let limits: MessageLimits
    private let compression: CompressionParameters?
    private let pool: CompressionPool
    private var isFinished = false

    // The frame that is being received.
    private var partialHead: [UInt8] = []
    private var frame: FrameHeader?
    private var mask: Mask?
    private var remaining = 0
    private var control: [UInt8] = []

    // The message that is being received.
    private var kind: WebSocketMessage.Kind?
    private var isCompressed = false
    private var fragments = 0
    private var wireBytes = 0
    private var payload: [UInt8] = []
    private var text = UTF8Validator()
    private var inflater: Inflater?

    /// A decoder for what arrives at the end with this role.
    ///
    /// - Parameters:
    ///   - role: this end's role: a server demands masked frames, a client refuses them.
    ///   - limits: what is taken before the connection is given up.
    ///   - compression: what the handshake agreed on, nil without permessage-deflate.
    ///   - pool: where an inflate stream is borrowed from when the other end keeps no context.
    public init(
        role: Role,
        limits: MessageLimits = MessageLimits(),
        compression: CompressionParameters? = nil,
        pool: CompressionPool = .shared
    ) {
        self.role = role
        self.limits = limits
        self.compression = compression
        self.pool = pool
    }

    /// Whether a message or a frame is unfinished.
    public var isInsideMessage: Bool { kind != nil || frame != nil || !partialHead.isEmpty }

    /// Whether the close frame has come or the other end broke the protocol: further bytes are skipped.
    public var hasEnded: Bool { isFinished }

    /// Takes bytes from `input`, beginning at `offset`, until an event is complete or the input is used up.
    ///
    /// - Parameters:
    ///   - input: bytes as they came, of any length.
    ///   - offset: where to begin; moved behind what was taken.
    /// - Returns: the next event; nil when all bytes are taken.
    /// - Throws: how the other end broke the protocol. The decoder is finished then.
    public mutating func next(in input: RawSpan, at offset: inout Int) throws(ProtocolViolation) -> Event? {
        guard !isFinished, offset >= 0, offset < input.byteCount else {
            offset = max(offset, input.byteCount)
            return nil
        }
        do throws(ProtocolViolation) {
            return try unsafe input.withUnsafeBytes { bytes throws(ProtocolViolation) -> Event? in
                try unsafe advance(bytes, &offset)
            }
        } catch {
            finish()
            throw error
        }
    }

    private mutating func advance(
        _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(ProtocolViolation) -> Event? {
        while true {
            if frame == nil {
                guard let header = try unsafe nextHeader(bytes, &offset) else { return nil }
                try begin(header)
            }
            let count = min(remaining, bytes.count - offset)
            if count > 0 {
                try unsafe take(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                offset += count
                remaining -= count
            }
            guard remaining == 0 else { return nil }
            if let event = try endFrame() { return event }
        }
    }

    private mutating func nextHeader(
        _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) throws(ProtocolViolation) -> FrameHeader? {
        let expecting = FrameHeader.Expectation(
            masked: role == .server,
            compression: compression != nil,
            insideMessage: kind != nil
        )
        if partialHead.isEmpty {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
            if let found = try unsafe FrameHeader.parse(rest, expecting: expecting) {
                offset += found.size
                return found.header
            }
        }
        // The head came in pieces, of at most 14 bytes in all.
        while offset < bytes.count {
            unsafe partialHead.append(bytes[offset])
            offset += 1
            var failure: ProtocolViolation?
            let header = unsafe partialHead.withUnsafeBytes { bytes -> FrameHeader? in
                do throws(ProtocolViolation) {
                    return try unsafe FrameHeader.parse(bytes, expecting: expecting)?.header
                } catch {
                    failure = error
                    return nil
                }
            }
            if let failure { throw failure }
            if let header {
                partialHead.removeAll(keepingCapacity: true)
                return header
            }
        }
        return nil
    }

    private mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        if header.opcode.isControl {
            control.removeAll(keepingCapacity: true)
        } else {
            guard header.length <= limits.frameBytes else { throw .frameTooLarge(limit: limits.frameBytes) }
            if header.opcode != .continuation {
                kind = header.opcode == .text ? .text : .binary
                isCompressed = header.isCompressed
                fragments = 0
                wireBytes = 0
                text = UTF8Validator()
                if isCompressed { try prepareInflater() }
            }
            fragments += 1
            guard fragments <= limits.fragments else { throw .tooManyFragments(limit: limits.fragments) }
            guard header.length <= limits.messageBytes - wireBytes else {
                throw .messageTooLarge(limit: limits.messageBytes)
            }
            wireBytes += header.length
            // Room for what was announced, but no more than a claim may cost: beyond it the array doubles.
            if payload.isEmpty, !isCompressed { payload.reserveCapacity(min(header.length, Self.mostReserved)) }
        }
        frame = header
        mask = header.mask
        remaining = header.length
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard let opcode = frame?.opcode else { return }
        if opcode.isControl {
            unsafe Self.append(bytes, mask: &mask, to: &control)
        } else if isCompressed {
            try unsafe inflate(bytes)
        } else {
            let start = payload.count
            unsafe Self.append(bytes, mask: &mask, to: &payload)
            try validate(from: start)
        }
    }

    /// Appends payload bytes without their mask.
    private static func append(_ bytes: UnsafeRawBufferPointer, mask: inout Mask?, to output: inout [UInt8]) {
        let start = output.count
        unsafe output.append(contentsOf: bytes)
        guard mask != nil else { return }
        unsafe output.withUnsafeMutableBytes { all in
            unsafe mask?.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
    }

    private mutating func inflate(_ bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard mask != nil else { return try unsafe inflateClear(bytes) }
        var index = 0
        var clear: [UInt8] = []
        clear.reserveCapacity(min(bytes.count, Self.unmaskedAtOnce))
        while index < bytes.count {
            let end = min(index + Self.unmaskedAtOnce, bytes.count)
            clear.removeAll(keepingCapacity: true)
            unsafe Self.append(UnsafeRawBufferPointer(rebasing: bytes[index..<end]), mask: &mask, to: &clear)
            try unsafe clear.withUnsafeBufferPointer { piece throws(ProtocolViolation) in
                try unsafe inflateClear(UnsafeRawBufferPointer(piece))
            }
            index = end
        }
    }

    private mutating func inflateClear(_ bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard let inflater else { throw .corruptCompression }
        let start = payload.count
        do throws(ProtocolViolation) {
            try unsafe inflater.inflate(bytes, into: &payload, limit: limits.inflatedBytes)
        } catch {
            // What came out first is looked at first, so that the verdict does not depend on how the bytes arrived.
            try validate(from: start)
            throw error
        }
        try validate(from: start)
    }

    private mutating func validate(from start: Int) throws(ProtocolViolation) {
        guard kind == .text else { return }
        let isValid = unsafe payload.withUnsafeBytes { all in
            unsafe text.accept(UnsafeRawBufferPointer(rebasing: all[start...]))
        }
        guard isValid else { throw .invalidUTF8 }
    }

    private mutating func endFrame() throws(ProtocolViolation) -> Event? {
        guard let ended = frame else { return nil }
        frame = nil
        switch ended.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return try close()
        case .continuation, .text, .binary: return ended.isFinal ? try endMessage() : nil
        }
    }

    private mutating func endMessage() throws(ProtocolViolation) -> Event? {
        guard let kind else { return nil }
        if isCompressed, let inflater {
            let start = payload.count
            try inflater.finishMessage(into: &payload, limit: limits.inflatedBytes)
            try validate(from: start)
            if !keepsContext {
                pool.giveBack(inflater)
                self.inflater = nil
            }
        }
        guard kind == .binary || text.isComplete else { throw .invalidUTF8 }
        let message = WebSocketMessage(kind: kind, bytes: payload)
        payload = []
        self.kind = nil
        return .message(message)
    }

    private mutating func close() throws(ProtocolViolation) -> Event {
        guard control.count != 1 else { throw .invalidCloseFrame }
        guard control.count >= 2 else {
            finish()
            return .close(nil, reason: "")
        }
        let code = CloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.mayBeSent else { throw .invalidCloseCode(code.rawValue) }
        guard let reason = String(validating: control[2...], as: UTF8.self) else { throw .invalidUTF8 }
        finish()
        return .close(code, reason: reason)
    }

    private mutating func finish() {
        isFinished = true
        payload = []
        control = []
        partialHead = []
        inflater = nil
    }

    /// Whether the other end's messages may refer to earlier ones.
    private var keepsContext: Bool {
        guard let compression else { return false }
        return role == .server ? !compression.clientNoContextTakeover : !compression.serverNoContextTakeover
    }

    private mutating func prepareInflater() throws(ProtocolViolation) {
        guard compression != nil, inflater == nil else { return }
        inflater = keepsContext ? Inflater(keepsContext: true) : pool.takeInflater()
        guard inflater != nil else { throw .corruptCompression }
    }

    private static let mostReserved = 1 << 20
    private static let unmaskedAtOnce = 16 << 10
}

import CZlib
import WebSocket

/// The WebSocket codec in memory, without sockets. The floor of a frame is to copy its payload into memory of its own.
func webSocketBenchmarks() -> [Benchmark] {
    [unmask()] + frames() + compression()
}

private let frameSizes = [125, 1024, 64 << 10]

private func payload(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 7) }
}

private func copy(_ bytes: [UInt8]) -> () -> Void {
    { keep(bytes.withUnsafeBytes { [UInt8]($0) }) }
}

private func unmask() -> Benchmark {
    Benchmark(
        name: "WebSocket unmask in place",
        sizes: frameSizes,
        targets: [.megabytesPerSecond(8000, at: 64 << 10)]
    ) { size in
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        let other = payload(size)
        return Benchmark.Run(
            floors: [("memcpy", { bytes.copyBytes(from: other) })],
            work: {
                var mask = Mask(key: 0x1234_5678)
                mask.apply(to: bytes)
            }
        )
    }
}

private func frames() -> [Benchmark] {
    [Role.server, .client].flatMap { sender -> [Benchmark] in
        let kind = sender == .client ? "masked" : "unmasked"
        let target = Benchmark.Target.megabytesPerSecond(sender == .client ? 700 : 1000, at: 64 << 10)
        return [
            Benchmark(name: "WebSocket decode, \(kind)", sizes: frameSizes, targets: [target, .allocations(1)]) {
                size in
                let bytes = payload(size)
                var encoder = MessageEncoder(role: sender)
                var frame: [UInt8] = []
                encoder.append(.binary(bytes), to: &frame)
                let receiver = Receiver(role: sender == .client ? .server : .client)
                return Benchmark.Run(floors: [("copy", copy(bytes))], work: { receiver.take(frame) })
            },
            Benchmark(name: "WebSocket encode, \(kind)", sizes: frameSizes, targets: [target]) { size in
                let message = WebSocketMessage.binary(payload(size))
                let writer = Writer(role: sender)
                return Benchmark.Run(floors: [("copy", copy(message.bytes))], work: { writer.write(message) })
            },
        ]
    }
}

/// Decodes whole frames. A class, because closures cannot hold what cannot be copied.
private final class Receiver {
    private var decoder: MessageDecoder

    init(role: Role, compression: CompressionParameters? = nil) {
        decoder = MessageDecoder(role: role, compression: compression)
    }

    func take(_ bytes: [UInt8]) {
        var offset = 0
        while let event = try? decoder.next(in: bytes.span.bytes, at: &offset) { keep(event) }
    }
}

/// Encodes into memory that is there already, as a batch for the socket is.
private final class Writer {
    private var encoder: MessageEncoder
    private var output: [UInt8] = []

    init(role: Role, compression: CompressionParameters? = nil) {
        encoder = MessageEncoder(role: role, compression: compression)
    }

    func write(_ message: WebSocketMessage) {
        output.removeAll(keepingCapacity: true)
        encoder.append(message, to: &output)
        keep(output.count)
    }
}

private func compression() -> [Benchmark] {
    let parameters = CompressionParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    func text(_ count: Int) -> WebSocketMessage {
        var text: [UInt8] = []
        var number = 0
        while text.count < count {
            text += Array("{\"id\":\"\(number &* 7_919)\",\"kind\":1,\"content\":\"a link and \(number)\"},".utf8)
            number += 1
        }
        return WebSocketMessage(kind: .text, bytes: Array(text[..<count]))
    }
    return [
        Benchmark(name: "WebSocket deflate, no context", sizes: [400, 64 << 10]) { size in
            let message = text(size)
            let writer = Writer(role: .server, compression: parameters)
            let zlib = RawDeflate(message.bytes)
            return Benchmark.Run(floors: [("zlib", { zlib.deflate() })], work: { writer.write(message) })
        },
        Benchmark(name: "WebSocket inflate, no context", sizes: [400, 64 << 10]) { size in
            let message = text(size)
            var encoder = MessageEncoder(role: .server, compression: parameters)
            var frame: [UInt8] = []
            encoder.append(message, to: &frame)
            let receiver = Receiver(role: .client, compression: parameters)
            let zlib = RawDeflate(message.bytes)
            zlib.deflate()
            return Benchmark.Run(floors: [("zlib", { zlib.inflate() })], work: { receiver.take(frame) })
        },
    ]
}

/// zlib's calls for one message, streams and memory prepared. Kept for the life of the process.
private final class RawDeflate {
    private let deflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let inflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private var written: UInt32 = 0

    init(_ bytes: [UInt8]) {
        input = .allocate(capacity: bytes.count)
        output = .allocate(capacity: bytes.count + 1024)
        _ = input.initialize(from: bytes)
        deflater.initialize(to: z_stream())
        inflater.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let level = Int32(CompressionSettings().level)
        deflateInit2_(deflater, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        inflateInit2_(inflater, -15, ZLIB_VERSION, size)
    }

    func deflate() {
        deflateReset(deflater)
        deflater.pointee.next_in = input.baseAddress
        deflater.pointee.avail_in = UInt32(input.count)
        deflater.pointee.next_out = output.baseAddress
        deflater.pointee.avail_out = UInt32(output.count)
        _ = CZlib.deflate(deflater, Z_SYNC_FLUSH)
        written = UInt32(output.count) - deflater.pointee.avail_out
    }

    func inflate() {
        inflateReset(inflater)
        inflater.pointee.next_in = output.baseAddress
        inflater.pointee.avail_in = written
        inflater.pointee.next_out = input.baseAddress
        inflater.pointee.avail_out = UInt32(input.count)
        _ = CZlib.inflate(inflater, Z_SYNC_FLUSH)
    }
}

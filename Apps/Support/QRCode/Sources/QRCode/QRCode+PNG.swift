extension QRCode {
    /// The code as a PNG image of one bit per pixel (RFC 2083), with the quiet zone that readers need.
    public func png() -> [UInt8] {
        let scale = Self.pixelsOfModule
        let quietZone = Self.quietZone
        let side = (size + 2 * quietZone) * scale
        var raw: [UInt8] = []
        for y in 0..<side {
            // No filter for this row, then the pixels, a set bit being light.
            raw.append(0)
            var row = BitWriter()
            for x in 0..<side { row.append(isDark(x / scale - quietZone, y / scale - quietZone) ? 0 : 1, count: 1) }
            raw += row.bytes
        }
        let header = Self.bigEndian(UInt32(side)) + Self.bigEndian(UInt32(side)) + [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + Self.chunk("IHDR", header) + Self.chunk("IDAT", Self.stored(raw)) + Self.chunk("IEND", [])
    }

    private static let pixelsOfModule = 8

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc(body))
    }

    /// A zlib stream of stored blocks: an image this small is not worth compressing.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 0xffff, bytes.count)
            let count = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            for value in [count, ~count] { result += [UInt8(value & 0xff), UInt8(value >> 8)] }
            result += bytes[start..<end]
            start = end
        } while start < bytes.count
        return result + bigEndian(adler(bytes))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xffff_ffff
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

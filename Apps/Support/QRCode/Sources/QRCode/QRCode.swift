/// A QR code of bytes (ISO/IEC 18004, byte mode, error correction level M).
///
/// Level M restores a code of which 15 % is unreadable, which is what screens and paper need. Other modes would make the code
/// of a long number smaller; keys and links have none.
public struct QRCode: Sendable, Equatable {
    /// From 1 to 40; larger versions hold more.
    public let version: Int
    /// Which of the eight masks was laid over the data, 0 to 7: the one with the least disturbing pattern unless given.
    public let mask: Int
    /// Modules along each side: 17 + 4 x version, without the quiet zone.
    public let size: Int
    private let dark: [Bool]

    /// The most bytes that fit.
    public static let maximumCount = 2_331
    /// Modules of light around the code.
    static let quietZone = 4

    /// Why there is no code.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// There are more bytes than a QR code holds.
        case tooLong(limit: Int)

        public var description: String {
            switch self {
            case .tooLong(let limit): "A QR code holds at most \(limit) bytes."
            }
        }
    }

    /// The smallest code that holds the bytes.
    /// - Parameter mask: 0 to 7 to lay that one over the data; nil chooses the best.
    /// - Throws: ``Problem/tooLong(limit:)`` beyond 2,331 bytes.
    public init(_ bytes: [UInt8], mask: Int? = nil) throws(Problem) {
        guard let version = (1...40).first(where: { Capacity($0).fits(bytes.count) }) else {
            throw .tooLong(limit: Self.maximumCount)
        }
        let capacity = Capacity(version)
        let codewords = ErrorCorrection.interleave(Self.dataCodewords(bytes, capacity), capacity)
        let plain = Drawing(version: version, codewords: codewords)
        let candidates = (mask.map { [min(max($0, 0), 7)] } ?? Array(0..<8)).map { mask in
            (mask: mask, drawing: plain.masked(mask))
        }
        // There is at least one candidate, and the first of equal penalty stays.
        var best = candidates[0]
        var least = Int.max
        for candidate in candidates where candidates.count > 1 {
            let penalty = candidate.drawing.penalty
            if penalty < least {
                best = candidate
                least = penalty
            }
        }
        self.version = version
        self.mask = best.mask
        size = best.drawing.size
        dark = best.drawing.dark
    }

    /// The code of the UTF-8 of a text.
    public init(_ text: String, mask: Int? = nil) throws(Problem) {
        try self.init(Array(text.utf8), mask: mask)
    }

    /// Whether the module at a column and row is dark; outside it is not.
    public func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && dark[y * size + x]
    }

    /// Mode, count, bytes, terminator and padding.
    private static func dataCodewords(_ bytes: [UInt8], _ capacity: Capacity) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: capacity.countBits)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        bits.append(0, count: min(4, capacity.dataCount * 8 - bits.count))
        bits.append(0, count: (8 - bits.count % 8) % 8)
        var codewords = bits.bytes
        for pad in 0..<(capacity.dataCount - codewords.count) { codewords.append(pad % 2 == 0 ? 0xec : 0x11) }
        return codewords
    }
}

/// How many codewords a version has at level M, and how they are split into blocks (ISO/IEC 18004, table 9).
struct Capacity {
    let version: Int
    let correctionPerBlock: Int
    let blocks: Int

    init(_ version: Int) {
        self.version = version
        correctionPerBlock = Self.corrections[version - 1]
        blocks = Self.blockCounts[version - 1]
    }

    /// Modules that carry data or correction, in whole bytes.
    var totalCount: Int {
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    var dataCount: Int { totalCount - correctionPerBlock * blocks }
    /// Bits of the byte count.
    var countBits: Int { version < 10 ? 8 : 16 }

    func fits(_ count: Int) -> Bool {
        4 + countBits + count * 8 <= dataCount * 8
    }

    private static let corrections = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    private static let blockCounts = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]
}

struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, count: Int) {
        for bit in stride(from: count - 1, through: 0, by: -1) {
            if self.count % 8 == 0 { bytes.append(0) }
            if value >> bit & 1 == 1 { bytes[self.count / 8] |= 0x80 >> UInt8(self.count % 8) }
            self.count += 1
        }
    }
}

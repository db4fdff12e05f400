/// Reed-Solomon codes over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004, annex A).
enum ErrorCorrection {
    /// Splits the data into blocks, adds the correction of each, and interleaves both column by column.
    static func interleave(_ data: [UInt8], _ capacity: Capacity) -> [UInt8] {
        let generator = generator(capacity.correctionPerBlock)
        let short = data.count / capacity.blocks
        let longBlocks = data.count % capacity.blocks
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<capacity.blocks {
            let end = start + short + (index >= capacity.blocks - longBlocks ? 1 : 0)
            blocks.append(data[start..<end])
            start = end
        }
        let corrections = blocks.map { remainder(of: $0, by: generator) }
        var result: [UInt8] = []
        result.reserveCapacity(capacity.totalCount)
        for column in 0...short {
            for block in blocks where column < block.count { result.append(block[block.startIndex + column]) }
        }
        for column in 0..<capacity.correctionPerBlock {
            for correction in corrections { result.append(correction[column]) }
        }
        return result
    }

    /// The product of (x - 2^i) for i below the degree, highest power first, the leading 1 left out.
    private static func generator(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    private static func remainder(of data: ArraySlice<UInt8>, by generator: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for (index, coefficient) in generator.enumerated() { result[index] ^= product(coefficient, factor) }
        }
        return result
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            result = (result << 1) ^ ((result >> 7) * 0x11d)
            result ^= (Int(right) >> bit & 1) * Int(left)
        }
        return UInt8(truncatingIfNeeded: result)
    }
}

/// The modules of a code while it is made.
struct Drawing {
    let version: Int
    let size: Int
    private(set) var dark: [Bool]
    /// Modules that carry no data and are never masked.
    private var isFunction: [Bool]

    init(version: Int, codewords: [UInt8]) {
        self.version = version
        size = 17 + 4 * version
        dark = [Bool](repeating: false, count: size * size)
        isFunction = dark
        drawTiming()
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        drawAlignment()
        drawFormat(mask: 0)
        drawVersion()
        drawData(codewords)
    }

    /// The drawing with a mask over the data and the format bits that name it (table 10).
    func masked(_ mask: Int) -> Drawing {
        var result = self
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] && Self.inverts(mask, x, y) {
                result.dark[y * size + x].toggle()
            }
        }
        result.drawFormat(mask: mask)
        return result
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    private mutating func drawTiming() {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
    }

    private mutating func drawFinder(_ centerX: Int, _ centerY: Int) {
        for y in -4...4 {
            for x in -4...4 {
                let ring = max(abs(x), abs(y))
                set(centerX + x, centerY + y, ring != 2 && ring != 4)
            }
        }
    }

    private mutating func drawAlignment() {
        let places = alignmentPlaces
        for (row, y) in places.enumerated() {
            for (column, x) in places.enumerated() {
                let last = places.count - 1
                if (row == 0 && column == 0) || (row == 0 && column == last) || (row == last && column == 0) {
                    continue
                }
                for dy in -2...2 {
                    for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
    }

    private var alignmentPlaces: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<(count - 1)).map { size - 7 - $0 * step }.reversed()
    }

    /// Level and mask with their own correction, twice (section 7.9).
    private mutating func drawFormat(mask: Int) {
        // Level M is written as 0.
        var remainder = mask
        for _ in 0..<10 { remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537) }
        let bits = (mask << 10 | remainder) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    /// The version with its own correction, twice, from 7 on (section 7.10).
    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var remainder = version
        for _ in 0..<12 { remainder = (remainder << 1) ^ ((remainder >> 11) * 0x1f25) }
        let bits = version << 12 | remainder
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let x = size - 11 + index % 3
            let y = index / 3
            set(x, y, isDark)
            set(y, x, isDark)
        }
    }

    /// The codewords in two-module columns, upwards and downwards from the right (section 7.7.3).
    private mutating func drawData(_ codewords: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] && index < codewords.count * 8 {
                    dark[y * size + x] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    /// How much the pattern disturbs readers (section 7.8.3): long runs, blocks, false finders and imbalance.
    var penalty: Int {
        var total = 0
        for line in 0..<size {
            total += linePenalty { self.dark[line * self.size + $0] }
            total += linePenalty { self.dark[$0 * self.size + line] }
        }
        for y in 0..<(size - 1) {
            for x in 0..<(size - 1) {
                let color = dark[y * size + x]
                if color == dark[y * size + x + 1], color == dark[(y + 1) * size + x],
                    color == dark[(y + 1) * size + x + 1]
                {
                    total += 3
                }
            }
        }
        let darkCount = dark.count { $0 }
        let twentieths = abs(darkCount * 20 - dark.count * 10)
        return total + (max(0, (twentieths + dark.count - 1) / dark.count - 1)) * 10
    }

    private func linePenalty(_ isDark: (Int) -> Bool) -> Int {
        var total = 0
        var run = 0
        var color = false
        var history = 0
        for index in 0..<size {
            if isDark(index) == color {
                run += 1
                if run == 5 { total += 3 } else if run > 5 { total += 1 }
            } else {
                color.toggle()
                run = 1
            }
            history = (history << 1 | (isDark(index) ? 1 : 0)) & 0x7ff
            // A finder's pattern with four light modules before or after it.
            if index >= 10, history == 0b000_0101_1101 || history == 0b101_1101_0000 { total += 40 }
        }
        return total
    }
}

/// Unicode normalisation (UAX 15) of passphrases and mnemonics: NFKD for BIP-39, NFKC for NIP-49.
///
/// It is here because Foundation, which has it too, would cost every user of this package 20 MB and a slower start.
enum Normalization {
    /// The UTF-8 of `text` in normalisation form KD.
    static func compatibilityDecomposed(_ text: String) -> SecretBytes {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return SecretBytes(text.utf8) }
        var scalars = decompose(text)
        defer { wipe(&scalars) }
        return utf8(scalars)
    }

    /// The UTF-8 of `text` in normalisation form KC.
    static func compatibilityComposed(_ text: String) -> SecretBytes {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return SecretBytes(text.utf8) }
        var scalars = decompose(text)
        defer { wipe(&scalars) }
        compose(&scalars)
        return utf8(scalars)
    }

    private static func wipe(_ scalars: inout [UInt32]) {
        scalars.withUnsafeMutableBytes { zeroise($0) }
    }

    private static func utf8(_ scalars: [UInt32]) -> SecretBytes {
        let valid = scalars.lazy.compactMap(Unicode.Scalar.init)
        let count = valid.reduce(0) { $0 + UTF8.width($1) }
        return SecretBytes(count: count) { target in
            var index = 0
            for scalar in valid {
                UTF8.encode(scalar)?.forEach { byte in
                    target[index] = byte
                    index += 1
                }
            }
        }
    }

    // MARK: - Decomposition

    private static let decompositions = MappingTable(NormalizationTables.decompositions)

    private static func decompose(_ text: String) -> [UInt32] {
        // Reserved in full, for growing would leave a copy behind.
        var count = 0
        for scalar in text.unicodeScalars { forEachPart(of: scalar.value) { _ in count += 1 } }
        var scalars: [UInt32] = []
        scalars.reserveCapacity(count)
        for scalar in text.unicodeScalars { forEachPart(of: scalar.value) { scalars.append($0) } }
        order(&scalars)
        return scalars
    }

    private static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < 0xa0 {
            body(scalar)
        } else if let syllable = Hangul.index(of: scalar) {
            body(Hangul.leading + syllable / Hangul.perLeading)
            body(Hangul.vowel + syllable % Hangul.perLeading / Hangul.trailingCount)
            if syllable % Hangul.trailingCount > 0 { body(Hangul.trailing + syllable % Hangul.trailingCount) }
        } else if let parts = decompositions[scalar] {
            for part in parts { body(part) }
        } else {
            body(scalar)
        }
    }

    /// Sorts each run of combining marks by their class, those of one class staying as they are.
    private static func order(_ scalars: inout [UInt32]) {
        var start = 0
        while start < scalars.count {
            guard combiningClass(scalars[start]) != 0 else {
                start += 1
                continue
            }
            var end = start + 1
            while end < scalars.count, combiningClass(scalars[end]) != 0 { end += 1 }
            if end - start > 1 {
                let sorted = scalars[start..<end].enumerated().sorted { left, right in
                    (combiningClass(left.element), left.offset) < (combiningClass(right.element), right.offset)
                }
                for (index, one) in sorted.enumerated() { scalars[start + index] = one.element }
            }
            start = end
        }
    }

    private static func combiningClass(_ scalar: UInt32) -> UInt8 {
        Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
    }

    // MARK: - Composition

    private static let composites: [UInt64: UInt32] = {
        let table = MappingTable(NormalizationTables.composites)
        var composites: [UInt64: UInt32] = [:]
        for scalar in table.scalars {
            guard let parts = table[scalar], let first = parts.first, let second = parts.last else { continue }
            composites[UInt64(first) << 32 | UInt64(second)] = scalar
        }
        return composites
    }()

    private static func compose(_ scalars: inout [UInt32]) {
        var starter: Int?
        var lastClass: UInt8 = 0
        var end = 0
        for index in scalars.indices {
            let scalar = scalars[index]
            let combining = combiningClass(scalar)
            // A mark is blocked by one of its own class, or by another starter, between it and the starter.
            if let place = starter, end == place + 1 || (lastClass != 0 && lastClass < combining),
                let composite = composite(scalars[place], scalar)
            {
                scalars[place] = composite
                continue
            }
            if combining == 0 { starter = end }
            lastClass = combining
            scalars[end] = scalar
            end += 1
        }
        // Overwritten where they are: removing them would leave them behind.
        for index in end..<scalars.count { scalars[index] = 0 }
        scalars.removeLast(scalars.count - end)
    }

    private static func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if let leading = Hangul.offset(first, from: Hangul.leading, below: Hangul.leadingCount),
            let vowel = Hangul.offset(second, from: Hangul.vowel, below: Hangul.vowelCount)
        {
            return Hangul.syllables + (leading * Hangul.vowelCount + vowel) * Hangul.trailingCount
        }
        if let syllable = Hangul.index(of: first), syllable % Hangul.trailingCount == 0,
            let trailing = Hangul.offset(second, from: Hangul.trailing, below: Hangul.trailingCount), trailing > 0
        {
            return first + trailing
        }
        return composites[UInt64(first) << 32 | UInt64(second)]
    }
}

/// Hangul syllables, which compose by arithmetic (The Unicode Standard, section 3.12).
private enum Hangul {
    static let syllables: UInt32 = 0xac00
    static let leading: UInt32 = 0x1100
    static let vowel: UInt32 = 0x1161
    static let trailing: UInt32 = 0x11a7
    static let leadingCount: UInt32 = 19
    static let vowelCount: UInt32 = 21
    static let trailingCount: UInt32 = 28
    static let perLeading = vowelCount * trailingCount

    static func offset(_ scalar: UInt32, from first: UInt32, below count: UInt32) -> UInt32? {
        scalar >= first && scalar < first + count ? scalar - first : nil
    }

    static func index(of scalar: UInt32) -> UInt32? {
        offset(scalar, from: syllables, below: leadingCount * perLeading)
    }
}

/// One character to some, in three flat arrays.
private struct MappingTable: Sendable {
    private(set) var scalars: [UInt32] = []
    private var starts: [Int] = []
    private var parts: [UInt32] = []

    /// Reads `character:part.part` in hexadecimal, separated by white space, in the order of the characters.
    init(_ text: String) {
        var number: UInt32 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: ":"):
                scalars.append(number)
                starts.append(parts.count)
                number = 0
            case UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: "\n"):
                parts.append(number)
                number = 0
            default:
                number = number << 4 | UInt32(byte < 0x41 ? byte - 0x30 : byte - 0x37)
            }
        }
        parts.append(number)
        starts.append(parts.count)
    }

    subscript(_ scalar: UInt32) -> ArraySlice<UInt32>? {
        var low = 0
        var high = scalars.count
        while low < high {
            let middle = (low + high) / 2
            if scalars[middle] < scalar { low = middle + 1 } else { high = middle }
        }
        guard low < scalars.count, scalars[low] == scalar else { return nil }
        return parts[starts[low]..<starts[low + 1]]
    }
}

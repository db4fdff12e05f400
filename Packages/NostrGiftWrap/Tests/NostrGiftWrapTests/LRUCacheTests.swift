@testable import NostrGiftWrap
import TestSupport
import Testing

@Suite("A cache of the values used last")
struct LRUCacheTests {
    /// The rule written down plainly: an array in the order of use.
    private struct Plain {
        var capacity: Int
        var entries: [(key: Int, value: Int)] = []

        mutating func value(for key: Int) -> Int? {
            guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
            entries.append(entries.remove(at: place))
            return entries.last?.value
        }

        mutating func insert(_ value: Int, for key: Int) {
            entries.removeAll { $0.key == key }
            if entries.count == capacity { entries.removeFirst() }
            entries.append((key, value))
        }
    }

    @Test("answers like an array in the order of use, whatever is asked and inserted", arguments: [1, 2, 3, 7, 50])
    func model(capacity: Int) {
        var random = SeededGenerator(seed: UInt64(capacity))
        var cache = LRUCache<Int, Int>(capacity: capacity)
        var plain = Plain(capacity: capacity)
        var differences = 0
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<capacity * 2 + 1, using: &random)
            if Bool.random(using: &random) {
                cache.insert(step, for: key)
                plain.insert(step, for: key)
            } else if cache.value(for: key) != plain.value(for: key) {
                differences += 1
            }
            if cache.count != plain.entries.count { differences += 1 }
        }
        #expect(differences == 0)
    }

    @Test("holds one value at least")
    func smallest() {
        var cache = LRUCache<Int, Int>(capacity: 0)
        cache.insert(1, for: 1)
        cache.insert(2, for: 2)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.value(for: 2) == 2)
    }
}

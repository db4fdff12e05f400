import Locking
import Testing

@Suite("A value behind a lock")
struct LockedTests {
    @Test("loses no change when many tasks make one")
    func concurrent() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test("is free again after an error inside")
    func errors() {
        struct Refused: Error {}
        let value = Locked(1)
        #expect(throws: Refused.self) {
            try value.withLock { (value) throws(Refused) in
                value = 2
                throw Refused()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }

    @Test("does not wait when asked not to")
    func tryLock() {
        let value = Locked(1)
        let inner = value.withLock { _ in value.withLockIfAvailable { $0 } }
        #expect(inner == nil)
        #expect(value.withLockIfAvailable { $0 } == 1)
    }

    @Test("hands out what it holds, as the README says")
    func readme() {
        let seen = Locked<Set<Int>>([])
        let isNew = seen.withLock { $0.insert(7).inserted }
        let isNewAgain = seen.withLock { $0.insert(7).inserted }
        #expect(isNew && !isNewAgain)
    }
}

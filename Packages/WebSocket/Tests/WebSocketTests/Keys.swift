import Locking

/// Mask keys that a test can repeat.
final class Keys: Sendable {
    private let state = Locked(UInt64(1))

    func next() -> UInt32 {
        state.withLock { state in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt32(truncatingIfNeeded: state >> 32)
        }
    }
}

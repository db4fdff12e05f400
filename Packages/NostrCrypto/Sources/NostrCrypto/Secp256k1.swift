internal import CSecp256k1

/// The context that every call into libsecp256k1 takes.
enum Secp256k1 {
    /// Made and randomised (against side channels) once.
    ///
    /// `nonisolated(unsafe)` because of the pointer type. It is initialised once, and the library only reads a context
    /// that is passed as `const`, as all calls but creation and randomisation do, so any number of threads may use it.
    nonisolated(unsafe) static let context: OpaquePointer = {
        guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            fatalError("out of memory")
        }
        let seed = SecretBytes(count: 32) { SecureRandom.fill($0) }
        let done = seed.withUnsafeBytes { secp256k1_context_randomize(context, $0.bound) }
        precondition(done == 1, "libsecp256k1 refused to randomise its context")
        return context
    }()
}

extension UnsafeRawBufferPointer {
    /// The bytes as C wants them.
    var bound: UnsafePointer<UInt8>? { assumingMemoryBound(to: UInt8.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
    /// The bytes as C wants them.
    var bound: UnsafeMutablePointer<UInt8>? { assumingMemoryBound(to: UInt8.self).baseAddress }
}

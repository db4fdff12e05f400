import NostrCrypto
import Testing

@Suite struct ContextSealerTests {
    private let dataKey = SecretBytes([UInt8](0..<32))
    private let value = Array("a value at rest".utf8)

    @Test func aValueOpensInItsOwnPlaceAlone() throws {
        let sealer = try ContextSealer(dataKey: dataKey, purpose: "test")
        let sealed = try sealer.seal(value, context: [1])
        #expect(sealed.count == value.count + ContextSealer.overhead)
        #expect(sealer.open(sealed, context: [1]) == value)
        #expect(sealer.open(sealed, context: [2]) == nil)
        #expect(try ContextSealer(dataKey: dataKey, purpose: "test").open(sealed, context: [1]) == value)
        #expect(try ContextSealer(dataKey: dataKey, purpose: "other").open(sealed, context: [1]) == nil)
        let otherKey = SecretBytes([UInt8](1..<33))
        #expect(try ContextSealer(dataKey: otherKey, purpose: "test").open(sealed, context: [1]) == nil)
    }

    @Test func aChangedOrCutValueDoesNotOpen() throws {
        let sealer = try ContextSealer(dataKey: dataKey, purpose: "test")
        let sealed = try sealer.seal(value, context: [])
        #expect(sealer.open(sealed, context: []) == value)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(sealer.open(changed, context: []) == nil)
        }
        #expect(sealed.indices.allSatisfy { sealer.open(Array(sealed.prefix($0)), context: []) == nil })
    }

    @Test func theSameValueIsSealedAnewAndCodedAlike() throws {
        let sealer = try ContextSealer(dataKey: dataKey, purpose: "test")
        #expect(try sealer.seal(value, context: []) != sealer.seal(value, context: []))
        #expect(sealer.code(for: value) == sealer.code(for: value))
        #expect(try sealer.code(for: value) != ContextSealer(dataKey: dataKey, purpose: "other").code(for: value))
    }

    @Test func aDataKeyOfAnotherLengthIsRefused() {
        for count in [0, 16, 31, 33] {
            #expect(throws: CryptoError.invalidLength(expected: 32, actual: count)) {
                try ContextSealer(dataKey: SecretBytes([UInt8](repeating: 7, count: count)), purpose: "test")
            }
        }
    }
}

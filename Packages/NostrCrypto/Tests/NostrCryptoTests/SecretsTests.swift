import NostrCrypto
import Testing

@Suite("Secrets")
struct SecretsTests {
    static let hex = "00000000000000000000000000000000000000000000000000000000deadbeef"
    let key: SecretKey

    init() throws {
        key = try SecretKey(hex: Self.hex)
    }

    /// Everything Swift offers to turn a value into text.
    static func texts(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        let mirror = Mirror(reflecting: value)
        return [
            dumped, printed, "\(value)", String(describing: value), String(reflecting: value), "\([value])",
            "\(Optional.some(value) as Any)", "\((value, 1))", mirror.description,
        ] + mirror.children.map { "\($0)" }
    }

    /// The same for one that shows what it holds, to know that the search below can find something.
    struct Careless {
        let bytes: [UInt8]
    }

    static func reveals(_ value: some Any) -> Bool {
        texts(value).contains { text in
            ["deadbeef", "222, 173", "173, 190", "190, 239", "3735928559", "0xde", "- 222"].contains {
                text.lowercased().contains($0)
            }
        }
    }

    @Test func noTextFormShowsASecret() {
        #expect(!Self.reveals(key))
        #expect(!Self.reveals(KeyPair(key)))
        #expect(!Self.reveals(key.withUnsafeBytes { SecretBytes($0) }))
        #expect(Self.reveals(Careless(bytes: key.withUnsafeBytes { [UInt8]($0) })))
        #expect("\(key)" == "SecretKey(redacted)")
    }

    @Test func aSecretKeyCannotBeEncodedOrHashed() {
        #expect(!((key as Any) is any Encodable))
        #expect(!((key as Any) is any Hashable))
        #expect((KeyPair(key).publicKey as Any) is any Hashable)
    }

    @Test func equalityIsThatOfTheBytes() throws {
        #expect(try key == SecretKey(hex: Self.hex.uppercased()))
        #expect(try key != SecretKey(hex: Self.hex.replacing("dead", with: "dea0")))
        #expect(try KeyPair(key) == KeyPair(SecretKey(hex: Self.hex)))
        #expect(SecretBytes([1, 2]) != SecretBytes([1, 2, 3]))
        #expect(SecretBytes([]) == SecretBytes([]))
    }
}

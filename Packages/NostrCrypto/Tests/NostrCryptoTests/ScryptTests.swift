import NostrCrypto
import Testing

@Suite("scrypt")
struct ScryptTests {
    /// RFC 7914 section 12; the fourth vector needs a gibibyte and is left out.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628"
                + "cf35e20c38d18906"
        ),
        (
            "password", "NaCl", 10, 8, 16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d"
                + "8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40"
                + "dfcf017b45575887"
        ),
    ])
    func theKeyIsTheOneInTheRFC(password: String, salt: String, logN: Int, r: Int, p: Int, key: String) throws {
        let derived = try Scrypt.derive(
            password: Array(password.utf8),
            salt: Array(salt.utf8),
            logN: logN,
            blockSize: r,
            parallelism: p,
            count: 64,
            memoryCeiling: 32 << 20
        )
        derived.withUnsafeBytes { #expect(Hex.encode($0) == key) }
    }

    @Test func moreMemoryThanAllowedIsRefusedBeforeItIsUsed() throws {
        func derive(logN: Int, ceiling: Int) throws(CryptoError) -> SecretBytes {
            try Scrypt.derive(password: [1], salt: [2], logN: logN, memoryCeiling: ceiling)
        }
        #expect(try derive(logN: 10, ceiling: 1_051_648).count == 32)
        #expect(throws: CryptoError.memoryCeilingExceeded(ceiling: 1_051_647)) {
            try derive(logN: 10, ceiling: 1_051_647)
        }
        #expect(throws: CryptoError.memoryCeilingExceeded(ceiling: 1 << 30)) { try derive(logN: 63, ceiling: 1 << 30) }
        #expect(throws: CryptoError.invalidScryptParameter) { try derive(logN: 64, ceiling: .max) }
        #expect(throws: CryptoError.invalidScryptParameter) { try derive(logN: 0, ceiling: .max) }
    }
}

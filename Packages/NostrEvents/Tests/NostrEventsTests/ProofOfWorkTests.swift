import NostrCrypto
import NostrEvents
import Testing

@Suite("Proof of work (NIP-13)")
struct ProofOfWorkTests {
    @Test(arguments: [
        ("000000000e9d97a1ab09fc381030b346cdd7a142ad57e6df0b46dc9bef6c7e2d", 36),
        ("002f000000000000000000000000000000000000000000000000000000000000", 10),
        ("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0),
        ("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 1),
        ("0000000000000000800000000000000000000000000000000000000000000000", 64),
        ("0000000000000000000000000000000000000000000000000000000000000001", 255),
        ("0000000000000000000000000000000000000000000000000000000000000000", 256),
    ])
    func theDifficultyIsTheNumberOfLeadingZeroBits(hex: String, expected: Int) throws {
        #expect(ProofOfWork.difficulty(of: try EventID(hex: hex)) == expected)
    }

    @Test func theExampleOfTheNIPIsSufficient() throws {
        let event = try Event(
            json:
                #"{"id":"000006d8c378af1779d2feebc7603a125d99eca0ccf1085959b307f64e5dd358","pubkey":"a48380f4cfcc1ad537"#
                + #"8294fcac36439770f9c878dd880ffa94bb74ea54a6f243","created_at":1651794653,"kind":1,"tags":[["nonce","7"#
                + #"76797","20"]],"content":"It's just me mining my own business","sig":"284622fc0a3f4f1303455d5175f7ba96"#
                + #"2a3300d136085b9566801bc2e0699de0c7e31e44c81fb40ad9049173742e904713c3594a1da0fc5d2382a25c11aba977"}"#
        )
        #expect(ProofOfWork.difficulty(of: event.id) == 21)
        #expect(ProofOfWork.committedTarget(in: event.tags) == 20)
        #expect(ProofOfWork.isSufficient(id: event.id, tags: event.tags, minimum: 20))
        // 21 bits by luck: the target was 20.
        #expect(!ProofOfWork.isSufficient(id: event.id, tags: event.tags, minimum: 21))
        #expect(!ProofOfWork.isSufficient(id: event.id, tags: event.tags, minimum: 22))
        #expect(ProofOfWork.isSufficient(id: event.id, tags: [], minimum: 20, requiresCommitment: false))
        #expect(!ProofOfWork.isSufficient(id: event.id, tags: [], minimum: 20))
    }

    @Test(
        arguments: [
            ("20", 20), ("0", 0), ("256", 256), ("257", nil), ("", nil), ("-1", nil), ("+1", nil), ("1e1", nil),
            ("00000000000000000020", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func theCommittedTargetIsRead(text: String, expected: Int?) {
        #expect(ProofOfWork.committedTarget(in: [Tag("p", "a", "b"), Tag("nonce", "1", text)]) == expected)
        #expect(ProofOfWork.committedTarget(in: [Tag("nonce", "1"), Tag("nonce", "1", text)]) == nil)
    }

    @Test(arguments: ["", "short", "with \"escapes\" \\ \n and \u{1f44d}", String(repeating: "long ", count: 2_000)])
    func aMinedRumorDiffersOnlyInItsNonce(content: String) async throws {
        let rumor = Rumor(
            pubkey: try keyPair().publicKey.bytes,
            kind: .textNote,
            content: content,
            tags: [Tag("t", "a"), Tag("nonce", "5", "99"), Tag("-")],
            createdAt: 1_700_000_000
        )
        let mined = try await ProofOfWork.mine(rumor, difficulty: 9)
        #expect(ProofOfWork.isSufficient(id: mined.id, tags: mined.tags, minimum: 9))
        let tags = Array(mined.tags)
        #expect(tags.dropLast() == [Tag("t", "a"), Tag("-")])
        #expect(tags.last?.name == "nonce")
        #expect(tags.last?.value?.utf8.count == 16)
        #expect(mined.content == content)
        #expect(mined.createdAt == rumor.createdAt)
        #expect(mined.kind == rumor.kind)
        #expect(mined.pubkey == rumor.pubkey)
        // Read back, so that the id is computed from the text.
        #expect(try Rumor(json: mined.json).id == mined.id)
        #expect(try Event(signing: mined, with: keyPair()).id == mined.id)
    }

    @Test func eachNonceIsTriedOnceWhateverTheNumberOfWorkers() async throws {
        let rumor = Rumor(pubkey: .zero, kind: .textNote, content: "", createdAt: 1)
        for workers in [1, 3] {
            await #expect(throws: EventError.noNonceFound(attempts: 50_001)) {
                try await ProofOfWork.mine(rumor, difficulty: 256, workers: workers, maximumAttempts: 50_001)
            }
        }
        await #expect(throws: EventError.noNonceFound(attempts: 0)) {
            try await ProofOfWork.mine(rumor, difficulty: 0, maximumAttempts: 0)
        }
        let first = try await ProofOfWork.mine(rumor, difficulty: 0, workers: 1, maximumAttempts: 1)
        #expect(first.tags.firstValue(named: "nonce") == "0000000000000000")
    }

    /// One worker goes through the nonces in order, so it must find what a plain search does: the digits are counted up in
    /// place, and a slip there would skip or repeat some.
    @Test func oneWorkerFindsTheFirstNonce() async throws {
        let rumor = Rumor(pubkey: .zero, kind: .textNote, content: "plain", createdAt: 1)
        let mined = try await ProofOfWork.mine(rumor, difficulty: 13, workers: 1)
        let plain = (0...).lazy.map { (number: Int) in
            let digits = String(number)
            let nonce = String(repeating: "0", count: 16 - digits.count) + digits
            return Rumor(
                pubkey: .zero,
                kind: .textNote,
                content: "plain",
                tags: [Tag("nonce", nonce, "13")],
                createdAt: 1
            )
        }.first { ProofOfWork.difficulty(of: $0.id) >= 13 }
        #expect(mined.id == plain?.id)
    }

    @Test func impossibleDifficultiesAreRefused() async throws {
        let rumor = Rumor(pubkey: .zero, kind: .textNote, content: "", createdAt: 1)
        for difficulty in [-1, 257, .max, .min] {
            await #expect(throws: EventError.invalidDifficulty) {
                try await ProofOfWork.mine(rumor, difficulty: difficulty)
            }
        }
    }

    @Test func cancellingEndsTheSearchAndProgressIsTold() async throws {
        let rumor = Rumor(pubkey: .zero, kind: .textNote, content: "", createdAt: 1)
        let (reports, continuation) = AsyncStream.makeStream(of: ProofOfWork.Progress.self)
        let search = Task {
            try await ProofOfWork.mine(rumor, difficulty: 200) { continuation.yield($0) }
        }
        var last: UInt64 = 0
        for await report in reports {
            #expect(report.attempts > 0)
            #expect(report.expectedAttempts > 1e60)
            last = max(last, report.attempts)
            if last > 1_000_000 { break }
        }
        search.cancel()
        await #expect(throws: CancellationError.self) { try await search.value }
        #expect(last > 1_000_000)
    }
}

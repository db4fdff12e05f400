#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import NostrCrypto
import Synchronization

extension ProofOfWork {
    /// How far mining has come.
    public struct Progress: Sendable, Equatable {
        /// Ids that were computed.
        public let attempts: UInt64
        /// How many are needed on average: 2 to the power of the difficulty. After as many, 63 of 100 searches are done.
        public let expectedAttempts: Double
    }

    /// Finds a nonce with which the rumor's id has `difficulty` leading zero bits, on several cores.
    ///
    /// The rumor gets a tag `["nonce", <16 digits>, <difficulty>]` behind its other tags; nonce tags that it has are dropped.
    /// All else stays, `created_at` too: where that should be recent, mine again with a new one after a while. Cancelling
    /// the task ends the search within milliseconds.
    /// - Parameters:
    ///   - difficulty: 0 ... 256; each more doubles the work.
    ///   - workers: Tasks that search side by side, by default one for each core; at most 256.
    ///   - maximumAttempts: How many ids may be computed.
    ///   - progress: Called now and then from any of the tasks, possibly from two at once.
    /// - Throws: ``EventError/invalidDifficulty``, ``EventError/noNonceFound(attempts:)``, or `CancellationError`.
    public static func mine(
        _ rumor: Rumor,
        difficulty: Int,
        workers: Int? = nil,
        maximumAttempts: UInt64 = .max,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> Rumor {
        guard (0...256).contains(difficulty) else { throw EventError.invalidDifficulty }
        let search = NonceSearch(rumor, difficulty: difficulty, maximumAttempts: maximumAttempts)
        let count = min(max(1, workers ?? cores), 256)
        let nonce = try await withThrowingTaskGroup(of: UInt64?.self) { group in
            for _ in 0..<count {
                group.addTask { try await search.run(progress) }
            }
            var found: UInt64?
            for try await nonce in group { found = found ?? nonce }
            return found
        }
        guard let nonce else { throw EventError.noNonceFound(attempts: search.attempts) }
        return NonceSearch.rumor(rumor, digits: NonceSearch.digits(nonce), difficulty: difficulty)
    }

    private static var cores: Int {
        Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}

/// One search that several tasks take part in, each taking chunks of nonces in turn.
private final class NonceSearch: Sendable {
    /// Nonces always have as many digits, so that only these bytes change from one id to the next.
    static let digitCount = 16
    /// 10 to the power of ``digitCount``.
    private static let nonces: UInt64 = 10_000_000_000_000_000

    /// The hash of everything before the nonce.
    private let midstate: SHA256
    /// What follows the nonce.
    private let suffix: [UInt8]
    private let difficulty: Int
    private let limit: UInt64
    /// About two milliseconds of work, whatever an id costs.
    private let chunk: UInt64
    private let nextChunk = Atomic<UInt64>(0)
    private let computed = Atomic<UInt64>(0)
    private let isFound = Atomic<Bool>(false)

    private static let bytesPerChunk = 1 << 20
    private static let chunksPerReport: UInt64 = 64

    init(_ rumor: Rumor, difficulty: Int, maximumAttempts: UInt64) {
        let first = Self.rumor(rumor, digits: Self.digits(0), difficulty: difficulty).canonicalBytes
        let last = Self.rumor(rumor, digits: Self.digits(Self.nonces - 1), difficulty: difficulty).canonicalBytes
        // The two differ in the digits of the nonce alone.
        let start = zip(first, last).prefix { $0 == $1 }.count
        var hash = SHA256()
        hash.update(Array(first[..<start]))
        midstate = hash
        suffix = Array(first[(start + Self.digitCount)...])
        self.difficulty = difficulty
        limit = min(maximumAttempts, Self.nonces)
        chunk = UInt64(max(1, min(8_192, Self.bytesPerChunk / (suffix.count + 128))))
    }

    var attempts: UInt64 { computed.load(ordering: .relaxed) }

    /// The nonce, if this task finds it; nil if another one does or if there is none within the limit.
    func run(_ progress: (@Sendable (ProofOfWork.Progress) -> Void)?) async throws -> UInt64? {
        var tail = Array(Self.digits(0).utf8) + suffix
        while !isFound.load(ordering: .relaxed) {
            try Task.checkCancellation()
            let number = nextChunk.wrappingAdd(1, ordering: .relaxed).oldValue
            let (start, overflow) = number.multipliedReportingOverflow(by: chunk)
            guard !overflow, start < limit else { return nil }
            let end = min(start + chunk, limit)
            let nonce = search(start..<end, &tail)
            computed.wrappingAdd((nonce.map { $0 + 1 } ?? end) - start, ordering: .relaxed)
            if let nonce {
                isFound.store(true, ordering: .relaxed)
                return nonce
            }
            if let progress, number % Self.chunksPerReport == Self.chunksPerReport - 1 {
                progress(ProofOfWork.Progress(attempts: attempts, expectedAttempts: expectedAttempts))
            }
            // Others wait for this thread too.
            await Task.yield()
        }
        return nil
    }

    private var expectedAttempts: Double {
        (0..<difficulty).reduce(1) { value, _ in value * 2 }
    }

    private func search(_ nonces: Range<UInt64>, _ tail: inout [UInt8]) -> UInt64? {
        tail.replaceSubrange(0..<Self.digitCount, with: Self.digits(nonces.lowerBound).utf8)
        for nonce in nonces {
            var hash = midstate
            hash.update(tail)
            if ProofOfWork.leadingZeroBits(hash.finalize()) >= difficulty { return nonce }
            var digit = Self.digitCount - 1
            while digit >= 0, tail[digit] == ASCII.nine {
                tail[digit] = ASCII.zero
                digit -= 1
            }
            if digit >= 0 { tail[digit] += 1 }
        }
        return nil
    }

    static func digits(_ nonce: UInt64) -> String {
        let digits = String(nonce)
        return String(repeating: "0", count: max(0, digitCount - digits.utf8.count)) + digits
    }

    static func rumor(_ rumor: Rumor, digits: String, difficulty: Int) -> Rumor {
        Rumor(
            pubkey: rumor.pubkey,
            kind: rumor.kind,
            content: rumor.content,
            tags: rumor.tags.filter { $0.name != "nonce" } + [Tag("nonce", digits, String(difficulty))],
            createdAt: rumor.createdAt
        )
    }
}

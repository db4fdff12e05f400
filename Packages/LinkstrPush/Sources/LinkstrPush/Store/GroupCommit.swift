/// Gathers operations while others are being written, so that all that came meanwhile shares one commit.
actor GroupCommit<Operation: Sendable, Reply: Sendable> {
    private struct Waiting {
        let operation: Operation
        let continuation: CheckedContinuation<Reply, any Error>
    }

    private let limit: Int
    private let batch: Int
    private let run: @Sendable ([Operation]) async throws -> [Reply]
    private let isOfOne: @Sendable (any Error) -> Bool
    private var waiting: [Waiting] = []
    private var isRunning = false

    /// - Parameters:
    ///   - limit: how many may wait.
    ///   - batch: how many are written at once at most.
    ///   - isOfOne: whether an error is the fault of one operation, so that the others are worth another try.
    ///   - run: writes some of them, all or none, and returns a reply for each.
    init(
        limit: Int,
        batch: Int,
        isOfOne: @escaping @Sendable (any Error) -> Bool,
        run: @escaping @Sendable ([Operation]) async throws -> [Reply]
    ) {
        self.limit = limit
        self.batch = batch
        self.isOfOne = isOfOne
        self.run = run
    }

    func submit(_ operation: Operation) async throws -> Reply {
        guard waiting.count < limit else { throw PushStoreError.overloaded }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Waiting(operation: operation, continuation: continuation))
            guard !isRunning else { return }
            isRunning = true
            Task { await drain() }
        }
    }

    private func drain() async {
        while !waiting.isEmpty {
            let group = Array(waiting.prefix(batch))
            waiting.removeFirst(group.count)
            await write(group)
        }
        isRunning = false
    }

    /// One operation that cannot be written must not take the others with it.
    private func write(_ group: [Waiting]) async {
        do {
            let replies = try await run(group.map(\.operation))
            for (one, reply) in zip(group, replies) { one.continuation.resume(returning: reply) }
        } catch {
            if group.count > 1, isOfOne(error) {
                for one in group { await write([one]) }
            } else {
                for one in group { one.continuation.resume(throwing: error) }
            }
        }
    }
}

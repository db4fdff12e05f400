/// Until when the work of a call may wait for relays, where the caller has said so.
enum NetworkDeadline {
    @TaskLocal static var current: ContinuousClock.Instant?
}

extension OperationCall {
    /// Does something within ``timeout``; what is under way then is cancelled.
    /// - Throws: What `body` throws. After the time that is what it says of it, or else an ``OperationFailure`` that says to try again.
    func withinTimeout<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let timeout else { return try await body() }
        let deadline = ContinuousClock.now + timeout
        return try await NetworkDeadline.$current.withValue(deadline) {
            try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try? await Task.sleep(until: deadline, clock: .continuous)
                    return nil
                }
                if let result = try await group.next() ?? nil {
                    group.cancelAll()
                    return result
                }
                group.cancelAll()
                do {
                    // What was done all the same is done.
                    if let result = try await group.next() ?? nil { return result }
                } catch {
                    let failure = OperationFailure(error)
                    if failure.code == .timedOut, !(error is CancellationError) { throw failure }
                }
                throw OperationFailure(.timedOut, "there was no answer within \(timeout); try again")
            }
        }
    }
}

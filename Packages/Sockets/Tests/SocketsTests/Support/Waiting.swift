import Sockets

let patience = Duration.seconds(60)

/// Waits, yielding, until something is so; false after a minute.
func eventually(_ condition: () async -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return false
}

/// The error that a closure throws.
func failure(_ body: () async throws -> Void) async -> SocketsError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SocketsError
    }
}

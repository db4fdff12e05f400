/// Keeps a push service informed of which sessions are archived. One for an account and a device that is registered.
///
/// What it is given are choices only: the archive records of the account's preferences, and sessions that were deleted, as not
/// archived. A session that merely is not archived is no choice and is not mentioned, so that it works before history has come.
public actor PushArchiveSync {
    /// How many sessions one request speaks about at most.
    public static let batch = 200
    /// Longer session ids are not sent; ours have 32 characters.
    static let longestID = 256

    private let client: PushClient
    /// What the service knows; nil when nobody knows what it knows.
    public private(set) var known: [String: Bool]?
    private var wanted: [String: Bool] = [:]
    private var generation = 0
    private var running: Task<Result<Void, PushClientError>, Never>?

    /// Speaks through a client.
    ///
    /// - Parameter known: What an earlier one left as ``known``, so that unchanged choices are not sent again.
    public init(_ client: PushClient, known: [String: Bool]? = [:]) {
        self.client = client
        self.known = known
    }

    /// How many of the choices the service has not been told.
    public func missing(of choices: [String: Bool]) -> Int {
        choices.count { Self.canBeSent($0.key) && known?[$0.key] != $0.value }
    }

    /// Forgets what was sent: everything is sent at the next ``sync(_:)``. To be called when a device was registered, because a
    /// service forgets an account with its last device.
    public func reset() {
        generation += 1
        known = nil
    }

    /// Sends what has changed, in batches, one after the other. A call while another is under way waits for it and then sends what
    /// is missing.
    ///
    /// - Parameter choices: whether a session is archived, for every session about which there is a choice.
    /// - Throws: why a batch was not taken; at the next call everything is sent.
    public func sync(_ choices: [String: Bool]) async throws(PushClientError) {
        wanted = choices.filter { Self.canBeSent($0.key) }
        while let running {
            _ = await running.value
            if self.running == running { self.running = nil }
        }
        let task = Task { await send() }
        running = task
        let result = await task.value
        if running == task { running = nil }
        try result.get()
    }

    private static func canBeSent(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= longestID && id.first?.isWhitespace == false && id.last?.isWhitespace == false
    }

    private func send() async -> Result<Void, PushClientError> {
        let wanted = wanted
        let start = generation
        let changed = wanted.filter { known?[$0.key] != $0.value }
        let ids = changed.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for first in stride(from: 0, to: ids.count, by: Self.batch) {
            let batch = Array(ids[first..<min(first + Self.batch, ids.count)])
            do throws(PushClientError) {
                try await client.sendArchive(batch, archived: batch.filter { changed[$0] == true })
            } catch {
                known = nil
                return .failure(error)
            }
        }
        if generation == start { known = (known ?? [:]).merging(wanted) { $1 } }
        return .success(())
    }
}

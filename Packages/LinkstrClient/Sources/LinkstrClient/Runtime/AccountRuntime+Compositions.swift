import LinkstrSessions
import NostrEvents

/// What was to be sent when sending it failed.
struct Composition: Sendable {
    let outgoing: Outgoing
    /// Seconds since 1970.
    let time: Int64
}

extension AccountRuntime {
    /// How long a composition that failed is remembered, in seconds.
    private static let compositionLifetime: Int64 = 3600
    /// How many are remembered.
    private static let compositionLimit = 64

    /// What to send for a call: what an earlier call of the same sort failed to send to the same members, or else what was composed now.
    /// So the retry of a half-delivered post completes that post instead of making another one.
    func composition(_ key: String, _ fresh: Outgoing) -> Outgoing {
        let now = options.now()
        compositions = compositions.filter { (0..<Self.compositionLifetime).contains(now - $0.value.time) }
        guard let earlier = compositions[key]?.outgoing, earlier.recipients == fresh.recipients else { return fresh }
        return earlier
    }

    /// Remembers what could not be sent.
    func remember(_ outgoing: Outgoing, as key: String) {
        guard compositions[key]?.outgoing.rumor.id != outgoing.rumor.id else { return }
        if compositions.count >= Self.compositionLimit,
            let oldest = compositions.min(by: { $0.value.time < $1.value.time })
        {
            compositions[oldest.key] = nil
        }
        compositions[key] = Composition(outgoing: outgoing, time: options.now())
    }

    /// Forgets what has been sent.
    func forget(_ key: String) {
        compositions[key] = nil
    }
}

import LinkstrSessions
import NostrCrypto
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

    /// Remembers what could not be sent, and beyond this run that there was something which some may have got.
    func remember(_ outgoing: Outgoing, as key: String, in session: String, _ error: any Error) async {
        if compositions[key]?.outgoing.rumor.id != outgoing.rumor.id {
            if compositions.count >= Self.compositionLimit,
                let oldest = compositions.min(by: { $0.value.time < $1.value.time })
            {
                compositions[oldest.key] = nil
            }
            compositions[key] = Composition(outgoing: outgoing, time: options.now())
        }
        let missed: [Bytes32]
        switch error {
        case ClientError.unconfirmed(let members): missed = members
        case ClientError.refused(let members, _) where unfinished[outgoing.rumor.id]?.isEmpty == false: missed = members
        default: return
        }
        let call = UnfinishedSending.digest(of: key)
        let one = UnfinishedSending(call: call, session: session, time: options.now(), missed: missed)
        await keep(unfinishedSendings.filter { $0.call != call } + [one])
    }

    /// Forgets what has been sent.
    func forget(_ key: String) async {
        compositions[key] = nil
        let call = UnfinishedSending.digest(of: key)
        guard unfinishedSendings.contains(where: { $0.call == call }) else { return }
        await keep(unfinishedSendings.filter { $0.call != call })
    }

    /// What the same call did not send to everybody in an earlier run, so that nothing is left of it here that could be completed.
    func sendingOfEarlierRun(_ key: String) -> UnfinishedSending? {
        guard compositions[key] == nil else { return nil }
        let call = UnfinishedSending.digest(of: key)
        return currentUnfinishedSendings.first { $0.call == call }
    }

    /// What some may have got and others not, as far as it is remembered.
    public var currentUnfinishedSendings: [UnfinishedSending] {
        let now = options.now()
        return unfinishedSendings.filter { (0..<UnfinishedSending.lifetime).contains(now - $0.time) }
    }

    /// Where it cannot be stored it is known in this run all the same.
    private func keep(_ all: [UnfinishedSending]) async {
        unfinishedSendings = Array(all.suffix(UnfinishedSending.most))
        try? await save(UnfinishedSending.document, UnfinishedSending.json(currentUnfinishedSendings))
    }
}

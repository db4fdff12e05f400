import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrTransport

/// What is sent without the person's asking, so that members learn what they missed and relays do not lose what later posts depend on.
extension AccountRuntime {
    /// Notes which member lists have to go to somebody again.
    func noteDuties(_ effects: [SessionEffect]) async throws(SessionStoreError) {
        var new: [Duty] = []
        for effect in effects {
            switch effect {
            case .resend(_, let list, let recipients): new += recipients.map { Duty(list: list, recipient: $0) }
            case .remind(_, let list, let recipient): new.append(Duty(list: list, recipient: recipient))
            default: break
            }
        }
        new.removeAll(where: duties.contains)
        guard !new.isEmpty else { return }
        duties = Array((duties + new).suffix(Duty.most))
        try await vault.save([Duty.document: Duty.json(duties)])
        if live != nil { performDutiesSoon() }
    }

    /// Performs what waits beside everything else, one performance at a time.
    func performDutiesSoon() {
        guard dutyTask == nil, !duties.isEmpty else { return }
        dutyTask = Task {
            await self.performDuties()
            self.dutyTask = nil
        }
    }

    /// Sends the member lists that wait. One that no relay answers for waits for the next time.
    func performDuties() async {
        let waiting = Dictionary(grouping: duties, by: \.list)
        guard !waiting.isEmpty, let kept = try? await keptSeals(of: Set(waiting.keys)) else { return }
        for (list, duties) in waiting {
            guard let seal = kept[list], let opened = try? reader.opener.open(seal: seal.wire),
                opened.rumor.pubkey == account
            else {
                await finish(duties)
                continue
            }
            let recipients = duties.compactMap { try? PublicKey($0.recipient) }
            guard
                let wraps = try? await wrapper.wrap(
                    opened.rumor,
                    for: recipients,
                    ownCopy: .omitted,
                    now: options.now()
                )
            else { continue }
            let receipt = await access.publish(wraps.map(\.event))
            let open = Set(wraps.filter { receipt.isOpen($0.event.id) }.map(\.recipient.bytes))
            await finish(duties.filter { !open.contains($0.recipient) })
        }
    }

    private func finish(_ done: [Duty]) async {
        let done = Set(done)
        duties.removeAll(where: done.contains)
        try? await vault.save([Duty.document: duties.isEmpty ? nil : Duty.json(duties)])
    }

    private func keptSeals(of rumors: Set<EventID>) async throws(SessionStoreError) -> [EventID: Event] {
        var found: [EventID: Event] = [:]
        try await eachKeptSeal { seal in
            if rumors.contains(seal.rumor), let event = try? Event(json: seal.json) { found[seal.rumor] = event }
            return found.count < rumors.count
        }
        return found
    }

    /// Goes through the kept seals until `body` says no.
    private func eachKeptSeal(_ body: (KeptSeal) -> Bool) async throws(SessionStoreError) {
        var last: Int64 = 0
        while true {
            let page = try await store.keptSeals(after: last)
            guard let end = page.last?.row else { return }
            for seal in page where !body(seal) { return }
            last = end
        }
    }

    // MARK: What relays lost

    /// What a reading of the whole history should meet.
    func coverage() async throws(SessionStoreError) -> Coverage {
        var kept: Set<EventID> = []
        try await eachKeptSeal { kept.insert($0.rumor).inserted || true }
        return Coverage(kept)
    }

    /// Puts back what all relays have lost: the same seal in a new wrap to this account, at most
    /// ``ClientOptions/restoredSealsPerDay`` a day.
    func putBack(_ lost: Set<EventID>) async {
        guard !lost.isEmpty else { return }
        let today = options.now() / 86_400
        let ledger = (try? await vault.document(Self.ledgerName)).flatMap { $0 }.flatMap { try? JSONValue(json: $0) }
        var count = ledger?["day"]?.integer == today ? Int(clamping: ledger?["count"]?.integer ?? 0) : 0
        let allowed = ClientOptions.restoredSealsPerDay - count
        guard allowed > 0 else { return }
        var seals: [Event] = []
        do throws(SessionStoreError) {
            try await eachKeptSeal { kept in
                if lost.contains(kept.rumor), let seal = try? Event(json: kept.json) { seals.append(seal) }
                return seals.count < allowed
            }
        } catch {
            storeFailure = error.description
            return
        }
        var wraps: [Event] = []
        for seal in seals {
            if let wrap = try? await wrapper.wrap(seal: seal, for: keys.publicKey, now: options.now()) {
                wraps.append(wrap)
            }
        }
        guard !wraps.isEmpty else { return }
        // Counted before they are sent: a crash in between must not send more than the day allows.
        count += wraps.count
        var object = JSONObject()
        object["day"] = .integer(today)
        object["count"] = .integer(Int64(count))
        guard (try? await vault.save([Self.ledgerName: JSONValue.object(object).json])) != nil else { return }
        _ = await access.publish(wraps)
    }

    private static var ledgerName: String { "put-back" }
}

extension PublishReceipt {
    /// Whether no relay has taken or refused an event: it may be tried again.
    func isOpen(_ id: EventID) -> Bool {
        guard !isAccepted(id) else { return false }
        return !self[id].values.contains { if case .rejected = $0 { true } else { false } }
    }
}

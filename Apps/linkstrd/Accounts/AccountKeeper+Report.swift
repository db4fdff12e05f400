import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrTransport

extension AccountKeeper.Entry {
    /// The account and how it is doing, as an object.
    var value: JSONValue {
        [
            "pubkey": .string(account.key.hex), "npub": .string(account.key.npub),
            "name": account.name.map { .string($0) } ?? .null, "state": .string(word),
            "stage": stage.map { .string($0.description) } ?? .null,
            "reason": failure.map { .string($0.message) } ?? .null,
        ]
    }

    /// One word for the state.
    var word: String {
        switch state {
        case .locked: "locked"
        case .opening: "opening"
        case .open: "open"
        case .lent: "lent"
        case .failed: "failed"
        }
    }

    var failure: OperationFailure? {
        if case .failed(let failure) = state { failure } else { nil }
    }
}

extension AccountKeeper {
    /// The accounts in a sentence, for the service manager and the log: by the beginning of their keys, never by name.
    var sentence: String {
        let entries = all
        guard !entries.isEmpty else { return "no account yet: make one with linkstr account new" }
        let ready = entries.count { $0.stage == .ready }
        var parts = ["\(ready) of \(entries.count) accounts ready"]
        if entries.count == 1 { parts = ready == 1 ? ["the account is ready"] : [] }
        for entry in entries where entry.stage != .ready {
            let name = entries.count == 1 ? "" : "\(entry.account.key.hex.prefix(8)): "
            parts.append(name + (entry.failure?.message ?? entry.stage?.description ?? entry.word))
            if parts.count > 3 { break }
        }
        return parts.joined(separator: "; ")
    }

    /// Each account with its relays and counters.
    func report() async -> [JSONValue] {
        var values: [JSONValue] = []
        for entry in all {
            guard var object = entry.value.object else { continue }
            if let runtime = entry.state.runtime {
                let status = await runtime.status()
                object["online"] = .bool(status.isOnline)
                object["relays"] = .array(status.relays.map(\.value))
                object["opened"] = .integer(Int64(status.counters.opened))
                object["refused"] = .integer(Int64(status.counters.refused))
                object["sent"] = .integer(Int64(status.counters.sent))
                object["failed_sendings"] = .integer(Int64(status.counters.failedSendings))
                object["waiting"] = .integer(Int64(status.waiting))
                object["store_failure"] = status.storeFailure.map { .string($0) } ?? .null
            }
            values.append(.object(object))
        }
        return values
    }

    /// The open accounts and how their runtimes are doing.
    func statuses() async -> [(account: Bytes32, status: RuntimeStatus)] {
        var all: [(Bytes32, RuntimeStatus)] = []
        for entry in self.all {
            if let runtime = entry.state.runtime { all.append((entry.account.key, await runtime.status())) }
        }
        return all
    }
}

extension RelayReport {
    var value: JSONValue {
        var object = JSONObject()
        object["url"] = .string(url.text)
        object["state"] = .string(state.description)
        switch history {
        case .waiting: object["history"] = "waiting"
        case .reading(let count):
            object["history"] = "reading"
            object["read"] = .integer(Int64(count))
        case .complete(let count):
            object["history"] = "complete"
            object["read"] = .integer(Int64(count))
        case .incomplete(let reason):
            object["history"] = "incomplete"
            object["reason"] = .string(reason)
        }
        object["last_complete"] = lastCompletePass.map { .integer($0) } ?? .null
        object["acceptance_ms"] = acceptanceTime.map { .integer($0.milliseconds) } ?? .null
        for member in condition.members.members { object[member.key] = member.value }
        return .object(object)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
    }

    /// Seconds with their fraction.
    var fractionalSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

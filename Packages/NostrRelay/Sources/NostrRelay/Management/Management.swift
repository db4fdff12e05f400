import Locking
import NostrCrypto
import NostrEvents
import NostrStore
import Sockets

/// What administrators have decided (NIP-86).
struct Decisions: Sendable, Equatable {
    var bannedKeys: [Bytes32: String] = [:]
    /// If there is one, only these may write.
    var allowedKeys: [Bytes32: String] = [:]
    var bannedEvents: [EventID: String] = [:]
    /// If there is one, only these are taken.
    var allowedKinds: Set<Kind> = []
    var disallowedKinds: Set<Kind> = []
    var blockedAddresses: [String: String] = [:]
    var name: String?
    var description: String?
    var icon: String?
}

/// Why a management call is not done; one plain sentence.
struct ManagementProblem: Error, CustomStringConvertible {
    let description: String
}

/// Decides as the administrators have, and keeps what they decide.
final class Management: RelayPolicy {
    private struct State {
        var decisions = Decisions()
        var blocked: Set<IPAddress> = []
        /// Authorisations that were used, with the second in which they are forgotten.
        var used: [EventID: Int64] = [:]
    }

    private let file: String?
    private let state = Locked(State())

    /// Entries of one list.
    static let mostEntries = 100_000

    /// Reads what was decided before.
    init(file: String?) throws(RelayError) {
        self.file = file
        guard let file else { return }
        guard let decisions = ManagementFile.load(file) else { throw .unreadableManagementFile(path: file) }
        state.withLock { state in
            state.decisions = decisions
            state.blocked = Set(decisions.blockedAddresses.keys.compactMap { IPAddress($0) })
        }
    }

    var decisions: Decisions { state.withLock { $0.decisions } }

    func isBlocked(_ address: IPAddress) -> Bool {
        state.withLock { $0.blocked.contains(address) }
    }

    /// Whether an authorisation is used for the first time. It is valid for a minute before and after its time.
    func isFresh(_ event: Event, now: Int64) -> Bool {
        state.withLock { state in
            state.used = state.used.filter { $0.value > now }
            guard state.used[event.id] == nil, state.used.count < Self.mostEntries else { return false }
            state.used[event.id] = now + 3 * HTTPAuthorization.standardTolerance
            return true
        }
    }

    /// Changes decisions and keeps them; if they cannot be kept, nothing has changed.
    func change(_ body: (inout Decisions) throws(ManagementProblem) -> Void) throws(ManagementProblem) {
        try state.withLock { (state) throws(ManagementProblem) in
            var decisions = state.decisions
            try body(&decisions)
            guard decisions != state.decisions else { return }
            if let file, !ManagementFile.save(decisions, file) {
                throw ManagementProblem(description: "error: the decision cannot be written to its file")
            }
            state.decisions = decisions
            state.blocked = Set(decisions.blockedAddresses.keys.compactMap { IPAddress($0) })
        }
    }

    // MARK: RelayPolicy

    func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        state.withLock { state in
            let decisions = state.decisions
            if decisions.bannedEvents[event.id] != nil { return .refuse(.blocked, "this event is banned here") }
            // Whoever asks to vanish is obeyed, banned or not (NIP-62).
            if event.kind == .requestToVanish { return .accept }
            if decisions.bannedKeys[event.pubkey] != nil { return .refuse(.blocked, "this author is banned here") }
            if decisions.disallowedKinds.contains(event.kind)
                || (!decisions.allowedKinds.isEmpty && !decisions.allowedKinds.contains(event.kind))
            {
                return .refuse(.blocked, "events of kind \(event.kind) are not taken here")
            }
            guard !decisions.allowedKeys.isEmpty, decisions.allowedKeys[event.pubkey] == nil else { return .accept }
            let isForMember = event.kind.isGiftWrap && event.addressees.contains { decisions.allowedKeys[$0] != nil }
            return isForMember ? .accept : .refuse(.restricted, "this author may not write here")
        }
    }
}

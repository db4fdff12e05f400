import LinkstrSessions
import Locking
import NostrContacts
import NostrCrypto
import NostrEvents

/// How follow lists are kept: an index, and a document for each list, so that a change writes one list and not all of them.
enum FollowListDocuments {
    private static let index = "follow-lists"
    private static let prefix = "follow-list/"

    static func read(
        _ vault: Vault,
        owner: Bytes32
    ) async throws(SessionStoreError) -> (FollowListState?, FollowListHistory) {
        guard let json = try await vault.document(index), let object = try? JSONValue(json: json).object else {
            return (nil, FollowListHistory())
        }
        let documents = try await vault.documents(beginningWith: prefix)
        func event(_ id: String) -> Event? {
            documents[prefix + id].flatMap { try? Event(json: $0) }
        }
        var watermark: ReplaceableVersion?
        if let time = object["time"]?.integer, let id = object["id"]?.string.flatMap({ try? EventID(hex: $0) }) {
            watermark = ReplaceableVersion(createdAt: time, id: id)
        }
        let newest = object["id"]?.string.flatMap(event)
        let history = (object["history"]?.array ?? []).compactMap { $0.string.flatMap(event) }
        return (
            FollowListState(owner: owner, newest: newest, watermark: watermark), FollowListHistory(history)
        )
    }

    static func save(
        _ state: FollowListState,
        _ history: FollowListHistory,
        in vault: Vault
    ) async throws(SessionStoreError) {
        var object = JSONObject()
        object["time"] = state.watermark.map { .integer($0.createdAt) }
        object["id"] = (state.watermark?.id).map { .string($0.hex) }
        object["history"] = .array(history.events.map { .string($0.id.hex) })
        var changes: [String: [UInt8]?] = [index: JSONValue.object(object).json]
        var there = Set(try await vault.names(beginningWith: prefix))
        for event in history.events + [state.newest].compactMap(\.self) {
            let name = prefix + event.id.hex
            if there.remove(name) == nil { changes[name] = event.json }
        }
        for name in there { changes.updateValue(nil, forKey: name) }
        try await vault.save(changes)
    }
}

extension FollowListEnvironment {
    /// Publishing over the account's relays and keeping in its vault.
    /// - Parameter isComplete: Whether every relay has told its list already; then it need not be asked again.
    init(
        _ access: RelayAccess,
        _ vault: Vault,
        _ owner: Bytes32,
        isComplete: Locked<Bool>,
        now: @escaping @Sendable () -> Int64
    ) {
        self.init(
            publish: { try await access.publishAccepted([$0]) },
            fetchNewest: {
                if isComplete.withLock({ $0 }) { return [] }
                return try await access.fetchFromAll([Filter(authors: [owner], kinds: [.followList], limit: 1)])
            },
            save: { try await FollowListDocuments.save($0, $1, in: vault) },
            now: now
        )
    }
}

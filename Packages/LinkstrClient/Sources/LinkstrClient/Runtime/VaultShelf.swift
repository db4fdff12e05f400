import LinkstrSessions
import NostrContacts
import NostrCrypto
import NostrEvents
import NostrPreferences
import SQLite

/// The documents of a vault, as they are when a runtime opens.
struct VaultShelf: Sendable {
    let settings: AccountSettings
    let passes: PassLog
    let duties: [Duty]
    let preferences: PreferenceBook<LinkstrPreference>
    let profiles: ProfileShelf
    let followers: [Bytes32: FollowerRecord]
    let followList: FollowListState?
    let followHistory: FollowListHistory
    let inbox: Event?
    let vanishedAt: Int64?
    let unfinishedSendings: [UnfinishedSending]

    init(_ vault: Vault, keys: AccountKeys) async throws(SessionStoreError) {
        settings = try await vault.document(AccountSettings.document).map(AccountSettings.init(json:)) ?? .init()
        passes = try await vault.document(PassLog.document).map(PassLog.init(json:)) ?? PassLog()
        duties = try await vault.document(Duty.document).map(Duty.read) ?? []
        let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: keys.keyPair)
        if let json = try await vault.document(PreferenceDocument.name) {
            guard let book = try? PreferenceBook<LinkstrPreference>(json: json, space: space) else {
                throw .database(.unreadableValue(column: PreferenceDocument.name, wanted: "preference records"))
            }
            preferences = book
        } else {
            preferences = PreferenceBook(space: space)
        }
        profiles = try await vault.document(ProfileShelf.document).map(ProfileShelf.init(json:)) ?? ProfileShelf()
        followers = try await vault.document(FollowerDocument.name).map(FollowerDocument.read) ?? [:]
        inbox = try await vault.document(AccountRuntime.inboxDocument).flatMap { try? Event(json: $0) }
        vanishedAt = try await vault.document(AccountRuntime.vanishedDocument).flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        unfinishedSendings =
            try await vault.document(UnfinishedSending.document).map(UnfinishedSending.read) ?? []
        (followList, followHistory) = try await FollowListDocuments.read(vault, owner: keys.publicKey.bytes)
    }
}

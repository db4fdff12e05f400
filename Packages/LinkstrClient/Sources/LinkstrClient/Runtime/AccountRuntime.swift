public import LinkstrSessions
import Locking
import NostrContacts
public import NostrCrypto
public import NostrEvents
import NostrGiftWrap
import NostrPreferences
public import NostrTransport
import SQLite

/// One account at work: its relays, its databases, and what goes between them.
///
/// ```swift
/// let runtime = try await AccountRuntime.open(keys, home: home, relays: home.relayList().enabled)
/// _ = try await runtime.catchUp()
/// let sent = try await runtime.send(runtime.planner().create(name: "Films", members: friends))
/// await runtime.close()
/// ```
///
/// Whoever opens one holds the home's ``HomeLock``. Nothing is stored of a sending before relays have taken it.
public actor AccountRuntime {
    /// The account's key.
    public nonisolated let account: Bytes32
    /// The sessions on disk.
    public nonisolated let store: SessionStore
    /// The connections to the relays.
    public nonisolated let pool: RelayPool
    nonisolated let access: RelayAccess
    nonisolated let vault: Vault
    nonisolated let options: ClientOptions
    nonisolated let hub: EventHub
    nonisolated let keys: AccountKeys
    var reader: GiftWrapReader
    nonisolated let thumbnails: ThumbnailCache
    /// The account's folder.
    nonisolated let folder: String
    nonisolated let courier = PushCourier()
    private let conversations: ConversationKeyCache
    let editor: FollowListEditor

    // What is remembered of the vault's documents.
    var settings: AccountSettings
    var passes: PassLog
    var duties: [Duty]
    var preferences: PreferenceBook<LinkstrPreference>
    var profiles: ProfileShelf
    var followers: [Bytes32: FollowerRecord]
    var ownInbox: InboxRelays?
    /// When this account asked relays to forget it last, in seconds since 1970.
    var vanishedAt: Int64?

    // What goes on.
    /// What could not be sent, by the call that wanted it.
    var compositions: [String: Composition] = [:]
    /// What earlier calls, of earlier runs too, could not send to everybody.
    var unfinishedSendings: [UnfinishedSending]
    var live: LiveRun?
    var stage = BootStage.data
    var counters = RuntimeCounters()
    var acceptanceTime: Duration?
    var acceptanceTimes: [RelayURL: Duration] = [:]
    var storeFailure: String?
    /// Of statements that are being sent or whose sending failed, the copies that relays took all the same: recipient to wrap. What
    /// relays give back of them is not taken in.
    var unfinished: [EventID: [Bytes32: EventID]] = [:]
    /// Opened gift wraps that the vault has yet to be told of.
    var newWraps: [Vault.KnownWrap] = []
    var dutyTask: Task<Void, Never>?
    var uploadTask: Task<Void, Never>?
    var metadataTask: Task<Void, Never>?
    var wantedMetadata: [FeedItem] = []
    var archiveSync: (service: String, sync: PushArchiveSync)?
    var archiveTask: Task<Void, Never>?
    var archiveRetry: Task<Void, Never>?
    var isArchiveSyncWanted = false
    var isClosing = false
    /// Every relay that could be reached has told what it has of this account's own records.
    nonisolated let isRecordHistoryComplete: Locked<Bool>
    var isSeeded = false

    private init(
        _ keys: AccountKeys,
        store: SessionStore,
        vault: Vault,
        shelf: VaultShelf,
        home: Home,
        relays: [RelayURL],
        pool: RelayPool,
        options: ClientOptions
    ) {
        self.keys = keys
        self.store = store
        self.vault = vault
        self.options = options
        account = keys.publicKey.bytes
        hub = EventHub(now: options.now)
        self.pool = pool
        access = RelayAccess(pool: pool, relays: relays, options: options)
        thumbnails = ThumbnailCache(home)
        folder = home.account(account)
        conversations = ConversationKeyCache(owner: keys.keyPair.secretKey)
        reader = GiftWrapReader(opener: GiftWrapOpener(owner: keys.keyPair, cache: conversations))
        isRecordHistoryComplete = Locked(false)
        editor = FollowListEditor(
            keyPair: keys.keyPair,
            state: shelf.followList,
            history: shelf.followHistory,
            environment: .init(access, vault, account, isComplete: isRecordHistoryComplete, now: options.now)
        )
        settings = shelf.settings
        passes = shelf.passes
        duties = shelf.duties
        preferences = shelf.preferences
        profiles = shelf.profiles
        followers = shelf.followers
        ownInbox = shelf.inbox.flatMap { InboxRelays($0) }
        vanishedAt = shelf.vanishedAt
        unfinishedSendings = shelf.unfinishedSendings
    }

    /// Seals and wraps what this account says. Relays that have forgotten the account refuse what is dated before that.
    var wrapper: GiftWrapper {
        var options = GiftWrapOptions()
        if let vanishedAt {
            let reach = max(0, self.options.now() - vanishedAt - 1)
            options.backdating = 0...min(options.backdating.upperBound, reach)
        }
        return GiftWrapper(
            sender: keys.keyPair,
            options: options,
            cache: conversations,
            random: self.options.random
        )
    }

    /// Opens the account's databases, or makes them for a new account. Relays are connected to when they are needed.
    /// - Throws: ``ClientError/store(_:)``; a database that cannot be opened is left as it is.
    ///   ``ClientError/noRelayReached(_:)`` when the program is out of descriptors or threads for connections.
    public static func open(
        _ keys: AccountKeys,
        home: Home,
        relays: [RelayURL],
        options: ClientOptions = ClientOptions()
    ) async throws(ClientError) -> AccountRuntime {
        let account = keys.publicKey.bytes
        options.onStage?(.account)
        options.onStage?(.data)
        let dataKey = keys.dataKey.withUnsafeBytes { SecretBytes($0) }
        var transport = options.transport
        if transport.authenticator == nil { transport.authenticator = RelayAuthenticator(keys: [keys.keyPair]) }
        let pool: RelayPool
        do {
            pool = try RelayPool(options: transport, group: options.loops)
        } catch {
            let reason = String(describing: error)
            throw .noRelayReached(Dictionary(relays.map { ($0, reason) }) { first, _ in first })
        }
        do throws(SessionStoreError) {
            let vault = try await Vault.open(
                options.isTemporary ? .memory : .file(home.clientDatabase(account)),
                owner: account,
                key: dataKey
            )
            var shelf = try await VaultShelf(vault, keys: keys)
            var storeOptions = SessionStoreOptions()
            storeOptions.checksLiveAdmission = shelf.settings.checksLiveAdmission
            let store = try await SessionStore.open(
                options.isTemporary ? .memory : .file(home.database(account)),
                owner: account,
                key: dataKey,
                options: storeOptions
            )
            if try await vault.attach(to: store.identity) { shelf = try await VaultShelf(vault, keys: keys) }
            return AccountRuntime(
                keys,
                store: store,
                vault: vault,
                shelf: shelf,
                home: home,
                relays: relays,
                pool: pool,
                options: options
            )
        } catch {
            throw .store(error)
        }
    }

    /// Stops receiving, disconnects, ends every stream of events, and closes the databases.
    public func close() async {
        await stop()
        await finishPush()
        await editor.close()
        dutyTask?.cancel()
        uploadTask?.cancel()
        metadataTask?.cancel()
        await pool.shutDown()
        hub.finish()
        await saveWraps()
        await vault.close()
        try? await store.close()
    }

    /// The relays that are used.
    public nonisolated var relays: [RelayURL] { access.relays }

    /// What happens to the account from now on, one stream for each call. A stream ends when the runtime is closed.
    /// - Parameter capacity: So many events wait for a reader who is slow; then the oldest give way and
    ///   ``AccountEvent/Kind/lost(_:)`` stands in their place.
    public nonisolated func events(buffering capacity: Int = 1_024) -> AsyncStream<AccountEvent> {
        hub.subscribe(buffering: capacity)
    }

    func advance(to stage: BootStage) {
        guard stage != self.stage else { return }
        self.stage = stage
        options.onStage?(stage)
        hub.tell(.stage(stage))
    }

    /// Writes a document of the vault.
    func save(_ name: String, _ bytes: [UInt8]?) async throws(ClientError) {
        do throws(SessionStoreError) { try await vault.save([name: bytes]) } catch { throw .store(error) }
    }

    /// Plans statements of this account as of now.
    public nonisolated func planner() -> OutgoingPlanner {
        OutgoingPlanner(owner: account, now: options.now(), random: options.random)
    }

    /// Looks for damage in both databases; empty where there is none.
    /// - Throws: ``ClientError/store(_:)``.
    public nonisolated func integrityCheck() async throws(ClientError) -> [String] {
        do throws(SessionStoreError) {
            return try await store.integrityCheck() + vault.integrityCheck()
        } catch {
            throw .store(error)
        }
    }
}

extension Home {
    /// The database of what an account keeps beside its sessions.
    public func clientDatabase(_ key: Bytes32) -> String { account(key) + "/client.db" }
}

import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents
import ServiceKit

/// Keeps the accounts of a home open and connected, each for itself: what goes wrong with one touches no other.
actor AccountKeeper {
    /// What is known of one account.
    struct Entry: Sendable {
        var account: Account
        var state: State
        var stage: BootStage?
    }

    enum State: Sendable {
        /// The keys are under a passphrase.
        case locked
        /// It is being opened.
        case opening
        /// It is open and connected.
        case open(AccountRuntime)
        /// Somebody else works on its files.
        case lent
        /// It cannot be opened: how a command ends with it, and why.
        case failed(OperationFailure)

        var runtime: AccountRuntime? {
            if case .open(let runtime) = self { runtime } else { nil }
        }
    }

    let home: Home
    private let accounts: Accounts
    private let log: Log
    private let changed: @Sendable () -> Void
    private var wanted: Set<Bytes32>?
    private var entries: [Bytes32: Entry] = [:] { didSet { waiting.wake() } }
    private var waiting = Waiting()
    /// Whether the accounts of the home were looked for.
    private var hasLooked = false { didSet { waiting.wake() } }
    private var unlocked = UnlockedKeys()
    private var followers = Followers()
    private let isTemporary: Bool
    /// What the accounts were opened with.
    private var relays = RelayList.empty
    private var network = NetworkSettings()
    private let turn = Turn()
    private let stages: AsyncStream<(Bytes32, BootStage)>.Continuation
    private var isClosed = false
    /// Why the home could not be read the last time; nil where it could.
    private(set) var homeProblem: String?

    /// - Parameters:
    ///   - isTemporary: Keeps what is received in memory only, for this run.
    ///   - changed: Called after every change of an account's state, on any thread.
    init(
        _ home: Home,
        wanted: Set<Bytes32>?,
        isTemporary: Bool,
        log: Log,
        changed: @escaping @Sendable () -> Void
    ) {
        self.home = home
        self.isTemporary = isTemporary
        self.wanted = wanted
        self.log = log
        self.changed = changed
        accounts = Accounts(home)
        let (reached, stages) = AsyncStream.makeStream(of: (Bytes32, BootStage).self)
        self.stages = stages
        // In their order, until the keeper is gone.
        Task { [weak self] in
            for await (key, stage) in reached { await self?.reached(stage, key) }
        }
    }

    deinit {
        stages.finish()
    }

    /// The accounts, by key.
    var all: [Entry] { entries.values.sorted { $0.account.key < $1.account.key } }

    // MARK: What is on disk

    /// Takes up what the home says now: new accounts, those that are gone, locked or unlocked, other relays, and accounts that could
    /// not be opened before.
    func reconcile() async {
        await turn.take()
        await inFull { await self.reconcileInTurn() }
        turn.give()
    }

    /// Does something to its end, though who asked for it may go away meanwhile.
    private nonisolated func inFull(_ work: @escaping @Sendable () async -> Void) async {
        await Task { await work() }.value
    }

    /// Takes up another choice of accounts; nil for all.
    func want(_ accounts: Set<Bytes32>?) {
        wanted = accounts
    }

    private func reconcileInTurn() async {
        guard !isClosed else { return }
        let found: [Account]
        let damaged: [Bytes32: IdentityError]
        do throws(IdentityError) {
            let list = try home.relayList()
            let settings = try home.networkSettings()
            if list != relays || settings != network {
                relays = list
                network = settings
                for key in entries.keys { await closeRuntime(key, to: .opening) }
            }
            let all = try accounts.inspect()
            found = all.accounts.filter { wanted?.contains($0.key) ?? true }
            damaged = all.damaged.filter { wanted?.contains($0.key) ?? true }
            homeProblem = nil
        } catch {
            log.error("the home cannot be read", ["reason": error.description])
            homeProblem = error.description
            hasLooked = true
            changed()
            return
        }
        for key in entries.keys where damaged[key] == nil && !found.contains(where: { $0.key == key }) {
            await closeRuntime(key, to: .opening)
            entries[key] = nil
            unlocked.forget(key)
            log.info("account gone", ["account": key.hex])
        }
        for (key, error) in damaged {
            await closeRuntime(key, to: .failed(OperationFailure(error)))
            let unknown = Account(key: key, createdAt: 0, isSecretKnownElsewhere: false)
            entries[key] = Entry(account: unknown, state: .failed(OperationFailure(error)))
            log.error("account cannot be opened", ["account": key.hex, "reason": error.description])
        }
        await withTaskGroup { group in
            for account in found {
                if entries[account.key] == nil { log.debug("account found", ["account": account.key.hex]) }
                entries[account.key, default: Entry(account: account, state: .opening)].account = account
                group.addTask { await self.open(account.key) }
            }
            hasLooked = true
        }
        for key in followers.accounts {
            if let refusal = refusal(key) { followers.end(key, refusal) }
        }
        changed()
    }

    private func open(_ key: Bytes32) async {
        guard let entry = entries[key], !isClosed else { return }
        let keys: AccountKeys
        do throws(IdentityError) {
            guard let usable = unlocked.keys(of: key, try accounts.keyStore.keys(of: key)) else {
                await closeRuntime(key, to: .locked)
                log.info("account locked", ["account": key.hex])
                return
            }
            keys = usable
        } catch {
            await closeRuntime(key, to: .failed(OperationFailure(error)))
            log.error("account not usable", ["account": key.hex, "reason": error.description])
            return
        }
        if entry.state.runtime != nil { return }
        do throws(ClientError) {
            var options = try ClientOptions(home)
            options.isTemporary = isTemporary
            options.pushService = Environment.value(PushClient.environmentVariable)
            // The daemon has to end within five seconds.
            options.pushClosingTime = .seconds(3)
            options.onStage = { [stages] stage in stages.yield((key, stage)) }
            let runtime = try await AccountRuntime.open(keys, home: home, relays: relays.enabled, options: options)
            guard !isClosed else { return await runtime.close() }
            entries[key]?.state = .open(runtime)
            followers.opened(runtime)
            await runtime.start()
            log.info("account open", ["account": key.hex, "relays": String(relays.enabled.count)])
        } catch {
            entries[key]?.state = .failed(OperationFailure(error))
            log.error("account not usable", ["account": key.hex, "reason": error.description])
        }
        changed()
    }

    private func reached(_ stage: BootStage, _ key: Bytes32) {
        guard entries[key] != nil else { return }
        entries[key]?.stage = stage
        log.debug("account stage", ["account": key.hex, "stage": stage.description])
        changed()
    }

    private func closeRuntime(_ key: Bytes32, to state: State) async {
        let runtime = entries[key]?.state.runtime
        entries[key]?.state = state
        entries[key]?.stage = nil
        if let runtime {
            await runtime.stop()
            await runtime.close()
        }
    }

    // MARK: What clients ask

    /// Opens a locked account.
    /// - Throws: ``OperationFailure``.
    func unlock(_ key: Bytes32, passphrase: String) async throws(OperationFailure) {
        await turn.take()
        defer { turn.give() }
        guard entries[key] != nil else { throw OperationFailure(IdentityError.unknownAccount(key.hex)) }
        do throws(IdentityError) {
            try unlocked.unlock(key, try accounts.keyStore.keys(of: key), passphrase: passphrase)
        } catch {
            log.warning("account not unlocked", ["account": key.hex])
            throw OperationFailure(error)
        }
        log.info("account unlocked", ["account": key.hex])
        await inFull { await self.open(key) }
        if case .failed(let failure)? = entries[key]?.state { throw failure }
    }

    /// Gives an account that has no name on this device the one that it has published.
    func nameIfNameless(_ key: Bytes32, _ name: String) async {
        await turn.take()
        defer { turn.give() }
        guard !isTemporary else { return }
        do throws(IdentityError) {
            if let account = try accounts.nameIfNameless(key, name) { entries[key]?.account = account }
        } catch {
            log.warning("account not named", ["account": key.hex, "reason": error.description])
        }
    }

    /// The account that a client means: by npub, hex or name, or the chosen one. One that is lent or being opened is waited for.
    /// - Throws: ``OperationFailure``, also for an account that is locked, cannot be opened, or is not there in time.
    func runtime(
        _ text: String?,
        within time: Duration = .seconds(10)
    ) async throws(OperationFailure) -> AccountRuntime {
        let key: Bytes32
        do throws(IdentityError) { key = try accounts.find(text).key } catch { throw OperationFailure(error) }
        await wait(within: time) { isComing(key) }
        if let runtime = entries[key]?.state.runtime { return runtime }
        if case .lent? = entries[key]?.state {
            throw OperationFailure(.timedOut, "Another program works on the account; try again")
        }
        throw refusal(key) ?? OperationFailure(.timedOut, "The account is being opened; try again")
    }

    /// Whether an account will be open, or not usable, without anything being done about it.
    private func isComing(_ key: Bytes32) -> Bool {
        switch entries[key]?.state {
        case .opening, .lent: true
        case .open, .locked, .failed: false
        case nil: !hasLooked
        }
    }

    /// Waits while something holds that depends on the accounts, for a time at most, and not after the task is cancelled.
    private func wait(within time: Duration, while holds: () -> Bool) async {
        guard holds() else { return }
        let (number, changes) = waiting.begin()
        let timer = Task {
            try await Task.sleep(for: time)
            waiting.end(number)
        }
        for await _ in changes where !holds() { break }
        timer.cancel()
        waiting.end(number)
    }

    /// Why an account cannot be worked with, unless something is done about it; nil where it is open or will be.
    private func refusal(_ key: Bytes32) -> OperationFailure? {
        guard let entry = entries[key] else {
            return OperationFailure(
                .notFound,
                "The daemon does not keep the account \(key.hex): see its accounts setting"
            )
        }
        switch entry.state {
        case .open, .opening, .lent: return nil
        case .locked:
            return OperationFailure(
                .notPermitted,
                "The account \(key.hex) is locked: hand its passphrase over with `linkstr account unlock`"
            )
        case .failed(let failure): return failure
        }
    }

    /// What happens to an account from now on, each time that it is open.
    func openings(of key: Bytes32) -> Followers.Openings {
        let openings = followers.add(key, entries[key]?.state.runtime) { [weak self] number in
            Task { await self?.forget(number, key) }
        }
        if let refusal = refusal(key) { followers.end(key, refusal) }
        return openings
    }

    private func forget(_ follower: Int, _ key: Bytes32) {
        followers.remove(follower, of: key)
    }

    /// Lets somebody else work on the files of the home: until ``takeBack()`` nothing is opened or closed here. An account that is named
    /// is closed first.
    func lend(closing key: Bytes32?) async {
        await turn.take()
        if let key, entries[key] != nil {
            await inFull { await self.closeRuntime(key, to: .lent) }
        }
        log.debug("home lent", ["account": key?.hex ?? ""])
    }

    /// Ends ``lend(closing:)`` and takes up what has changed.
    func takeBack() async {
        await inFull { await self.reconcileInTurn() }
        turn.give()
    }

    /// Opens and closes nothing from now on; what is open goes on.
    func keepAsItIs() {
        isClosed = true
    }

    /// Disconnects and closes every account.
    func close() async {
        isClosed = true
        let keys = Array(entries.keys)
        await withTaskGroup { group in
            for key in keys { group.addTask { await self.closeRuntime(key, to: .opening) } }
        }
        unlocked.forgetAll()
    }
}

public import NostrCrypto
import NostrEvents

/// The accounts of a home: which there are, which one is used, and the way in and out.
public struct Accounts: Sendable {
    /// Where the accounts are kept.
    public let home: Home
    /// Where their keys are kept.
    public let keyStore: FileKeyStore

    /// The accounts of a home, with their keys in files of that home unless another store is given.
    public init(_ home: Home, keyStore: FileKeyStore? = nil) {
        self.home = home
        self.keyStore = keyStore ?? FileKeyStore(home)
    }

    /// All accounts whose secret key is here, by key.
    /// - Throws: ``IdentityError``, also where one of them is damaged; ``inspect()`` tells the others all the same.
    public func all() throws(IdentityError) -> [Account] {
        let (accounts, damaged) = try inspect()
        if let first = Self.first(of: damaged) { throw first }
        return accounts
    }

    /// The accounts whose secret key is here, by key, and why some of them cannot be read.
    public func inspect() throws(IdentityError) -> (accounts: [Account], damaged: [Bytes32: IdentityError]) {
        var accounts: [Account] = []
        var damaged: [Bytes32: IdentityError] = [:]
        for key in try keyStore.accounts() {
            do throws(IdentityError) { accounts.append(try account(key)) } catch { damaged[key] = error }
        }
        return (accounts, damaged)
    }

    /// The account that a name or a key means; without one the chosen account, or the only one.
    /// - Throws: ``IdentityError/noAccount``, ``IdentityError/unknownAccount(_:)``,
    ///   ``IdentityError/ambiguousAccount(_:_:)``.
    public func find(_ text: String? = nil) throws(IdentityError) -> Account {
        let (all, damaged) = try inspect()
        guard !all.isEmpty || !damaged.isEmpty else { throw .noAccount }
        guard let text else { return try chosen(among: all, damaged) }
        let named = all.filter { $0.name.map { ExactText($0) == ExactText(text) } ?? false }
        if named.count == 1 { return named[0] }
        if named.count > 1 { throw .ambiguousAccount(text, named.map(\.key)) }
        if let key = try? PublicKey(typed: text).bytes {
            if let found = all.first(where: { $0.key == key }) { return found }
            throw damaged[key] ?? .unknownAccount(text)
        }
        // One that cannot be read may be called so.
        throw Self.first(of: damaged) ?? .unknownAccount(text)
    }

    /// Adds an account. The first one becomes the chosen one. Data of the same key that a logout kept, and the account's name,
    /// are taken up again.
    /// - Parameters:
    ///   - passphrase: Locks the keys at once, or opens the kept data key if that is locked.
    ///   - isImported: Whether the key came from elsewhere, so that this device is not its only place.
    /// - Throws: ``IdentityError/accountExists(_:)``, ``IdentityError/locked(_:)`` where kept data needs its passphrase.
    @discardableResult
    public func add(
        _ secretKey: SecretKey,
        name: String? = nil,
        passphrase: String? = nil,
        isImported: Bool,
        now: Int64
    ) throws(IdentityError) -> Account {
        let key = secretKey.publicKey.bytes
        let others = try keyStore.accounts()
        guard !others.contains(key) else { throw .accountExists(key) }
        let cleaned = try name.map { (name) throws(IdentityError) in try Account.cleaned(name) }
        let keys = try keyStore.keysForReturn(secretKey, passphrase: passphrase)
        // A name that was given before a logout stays, unless there is a new one.
        let earlier = (try? self.account(key))?.name
        let account = Account(key: key, name: cleaned ?? earlier, createdAt: now, isSecretKnownElsewhere: isImported)
        try PrivateFile.makeDirectory(home.account(key))
        try save(account)
        try keyStore.save(keys, passphrase: passphrase)
        if others.isEmpty { try choose(key) }
        return account
    }

    /// Writes what is known of an account.
    public func save(_ account: Account) throws(IdentityError) {
        try PrivateFile.write(account.json, to: details(account.key))
    }

    /// Notes that the secret key of an account is known elsewhere too, so that removing it here does not lose it.
    public func noteSecretKnownElsewhere(_ key: Bytes32) throws(IdentityError) {
        guard try keyStore.accounts().contains(key) else { throw .unknownAccount(key.hex) }
        var account = try account(key)
        guard !account.isSecretKnownElsewhere else { return }
        account.isSecretKnownElsewhere = true
        try save(account)
    }

    /// Gives an account that has no name here one, unless that is no name, or another account's.
    /// - Returns: The account, if it has got the name.
    public func nameIfNameless(_ key: Bytes32, _ name: String) throws(IdentityError) -> Account? {
        let (all, damaged) = try inspect()
        // One that cannot be read may be called so.
        guard damaged.isEmpty, let cleaned = try? Account.cleaned(name), !all.contains(where: { $0.name == cleaned }),
            var account = all.first(where: { $0.key == key }), account.name == nil
        else { return nil }
        account.name = cleaned
        try save(account)
        return account
    }

    /// Makes an account the one that commands use.
    public func choose(_ key: Bytes32) throws(IdentityError) {
        try PrivateFile.write(key.hex + "\n", to: home.current)
    }

    /// Puts the keys of an account under a passphrase, in place of another one if there was.
    /// - Throws: ``IdentityError/locked(_:)`` if they are under one and `current` is not given,
    ///   ``IdentityError/wrongPassphrase``.
    public func lock(_ key: Bytes32, passphrase: String, current: String? = nil) throws(IdentityError) {
        try keyStore.save(try open(key, passphrase: current), passphrase: passphrase)
    }

    /// The keys of an account.
    /// - Throws: ``IdentityError/locked(_:)`` if they are under a passphrase and none is given,
    ///   ``IdentityError/wrongPassphrase``.
    public func open(_ key: Bytes32, passphrase: String? = nil) throws(IdentityError) -> AccountKeys {
        switch try keyStore.keys(of: key) {
        case .open(let keys): return keys
        case .locked(let locked):
            guard let passphrase else { throw .locked(key) }
            return try locked.unlock(passphrase: passphrase)
        }
    }

    /// Whether the keys are under a passphrase.
    public func isLocked(_ key: Bytes32) throws(IdentityError) -> Bool {
        if case .locked = try keyStore.keys(of: key) { true } else { false }
    }

    /// Takes an account off this device.
    /// - Parameter clearsData: Removes the account's directory; otherwise the data and its key stay for when the secret key returns.
    public func remove(_ key: Bytes32, clearsData: Bool) throws(IdentityError) {
        guard try keyStore.accounts().contains(key) else { throw .unknownAccount(key.hex) }
        try keyStore.removeSecret(of: key)
        if clearsData { try PrivateFile.remove(home.account(key)) }
        // A choice that cannot be read chose nobody.
        if (try? storedChoice()) == key {
            if let next = try keyStore.accounts().first {
                try choose(next)
            } else {
                try PrivateFile.remove(home.current)
            }
        }
    }

    /// Who is not chosen is never taken for who was.
    private func chosen(
        among all: [Account],
        _ damaged: [Bytes32: IdentityError]
    ) throws(IdentityError) -> Account {
        guard let key = try storedChoice() else {
            guard let first = all.first else { throw Self.first(of: damaged) ?? .noAccount }
            return first
        }
        if let account = all.first(where: { $0.key == key }) { return account }
        throw damaged[key] ?? .malformed(path: home.current)
    }

    /// The damaged account that is told of where one has to do for all.
    private static func first(of damaged: [Bytes32: IdentityError]) -> IdentityError? {
        damaged.min { $0.key < $1.key }?.value
    }

    private func storedChoice() throws(IdentityError) -> Bytes32? {
        guard PrivateFile.exists(home.current) else { return nil }
        let text = try PrivateFile.read(home.current).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let key = try? Bytes32(hex: String(text.prefix { !$0.isNewline })) else {
            throw .malformed(path: home.current)
        }
        return key
    }

    private func account(_ key: Bytes32) throws(IdentityError) -> Account {
        let path = details(key)
        guard PrivateFile.exists(path) else { return Account(key: key, createdAt: 0, isSecretKnownElsewhere: false) }
        let json = try PrivateFile.read(path).withUnsafeBytes { Array($0) }
        guard let account = Account(key: key, json: json) else { throw .malformed(path: path) }
        return account
    }

    private func details(_ key: Bytes32) -> String { home.account(key) + "/account.json" }
}

public import NostrCrypto

/// Where the keys of accounts are kept. Files are the first kind; the desktop's secret service could be another.
public protocol KeyStore: Sendable {
    /// The accounts that have keys here, ascending.
    func accounts() throws(IdentityError) -> [Bytes32]
    /// The keys of an account.
    func keys(of account: Bytes32) throws(IdentityError) -> StoredKeys
    /// Keeps the keys of an account, under a passphrase if one is given, in place of those that were kept.
    func save(_ keys: AccountKeys, passphrase: String?) throws(IdentityError)
    /// Removes the secret key. The data key stays, for a logout that keeps the data.
    func removeSecret(of account: Bytes32) throws(IdentityError)
}

/// Keys in files of mode 0600 in the account's directory of mode 0700: `secret` holds the key in hex or as ncryptsec, `data-key` the key
/// of the local data in the same way. While a passphrase is changed `data-key` has a line under each of the two, so that whichever
/// opens `secret` opens both, wherever the change stops.
public struct FileKeyStore: KeyStore {
    private let home: Home
    /// The cost of a passphrase, see ``NIP49``.
    private let logN: Int

    /// The keys of a home. `logN` is the cost of a passphrase as a power of two (NIP-49), for keys that are locked from now on.
    public init(_ home: Home, logN: Int = NIP49.defaultLogN) {
        self.home = home
        self.logN = logN
    }

    public func accounts() throws(IdentityError) -> [Bytes32] {
        try PrivateFile.names(in: home.accounts).compactMap { name in
            guard let key = try? Bytes32(hex: name), PrivateFile.exists(secret(key)) else { return nil }
            return key
        }
    }

    public func keys(of account: Bytes32) throws(IdentityError) -> StoredKeys {
        guard PrivateFile.exists(secret(account)) else { throw .unknownAccount(account.hex) }
        try PrivateFile.checkDirectory(home.account(account))
        let secretText = try text(secret(account))
        guard PrivateFile.exists(dataKey(account)) else { throw .missingDataKey(path: dataKey(account)) }
        let dataTexts = try lines(dataKey(account))
        if KeyText.isLocked(secretText) || KeyText.isLocked(dataTexts[0]) {
            return .locked(LockedKeys(account: account, secret: secretText, dataKeys: dataTexts))
        }
        guard let secretKey = KeyText.open(secretText) else { throw .malformed(path: secret(account)) }
        guard let data = KeyText.open(dataTexts[0]) else { throw .malformed(path: dataKey(account)) }
        let keys = AccountKeys(secretKey, dataKey: data)
        guard keys.publicKey.bytes == account else { throw .malformed(path: secret(account)) }
        return .open(keys)
    }

    public func save(_ keys: AccountKeys, passphrase: String?) throws(IdentityError) {
        let account = keys.publicKey.bytes
        try PrivateFile.makeDirectory(home.account(account))
        try PrivateFile.checkDirectory(home.account(account))
        let path = (secret: secret(account), data: dataKey(account))
        // Both are ready before either is written: to wrap a key takes long.
        let text = (
            secret: try written(keys.keyPair.secretKey, passphrase, path.secret),
            data: try written(keys.dataKey, passphrase, path.data)
        )
        let former = passphrase != nil && PrivateFile.exists(path.data) ? try lines(path.data) : []
        let kept = former.filter(KeyText.isLocked)
        // The data key first: a secret key without it would open an account whose data nobody can read.
        try PrivateFile.write(([text.data] + kept).joined(separator: "\n") + "\n", to: path.data)
        try PrivateFile.write(text.secret + "\n", to: path.secret)
        if !kept.isEmpty { try PrivateFile.write(text.data + "\n", to: path.data) }
    }

    public func removeSecret(of account: Bytes32) throws(IdentityError) {
        try PrivateFile.remove(secret(account))
    }

    /// Whether the data of an account is here, with or without its secret key.
    func hasDataKey(_ account: Bytes32) -> Bool {
        PrivateFile.exists(dataKey(account))
    }

    /// Keeps the data key that is here for an account whose secret key comes back.
    func keysForReturn(_ secretKey: SecretKey, passphrase: String?) throws(IdentityError) -> AccountKeys {
        let account = secretKey.publicKey.bytes
        guard hasDataKey(account) else {
            guard !PrivateFile.exists(home.database(account)) else { throw .missingDataKey(path: dataKey(account)) }
            return AccountKeys(secretKey)
        }
        let dataTexts = try lines(dataKey(account))
        if let data = KeyText.open(dataTexts[0]) { return AccountKeys(secretKey, dataKey: data) }
        guard let passphrase else { throw .locked(account) }
        let nsec = Hex.encode(secretKey.withUnsafeBytes { Array($0) })
        return try LockedKeys(account: account, secret: nsec, dataKeys: dataTexts).unlock(passphrase: passphrase)
    }

    private func secret(_ account: Bytes32) -> String { home.account(account) + "/secret" }
    private func dataKey(_ account: Bytes32) -> String { home.account(account) + "/data-key" }

    private func text(_ path: String) throws(IdentityError) -> String {
        try lines(path)[0]
    }

    /// The lines of a file, at least one.
    private func lines(_ path: String) throws(IdentityError) -> [String] {
        let bytes = try PrivateFile.read(path)
        let text = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
        let lines = (text ?? "").split(whereSeparator: \.isNewline).map(String.init)
        guard !lines.isEmpty else { throw .malformed(path: path) }
        return lines
    }

    /// A key as it stands in the file.
    private func written(_ key: SecretKey, _ passphrase: String?, _ path: String) throws(IdentityError) -> String {
        guard let passphrase else { return key.withUnsafeBytes { Hex.encode($0) } }
        do throws(CryptoError) {
            return try NIP49.encrypt(key, passphrase: passphrase, logN: logN)
        } catch {
            throw .malformed(path: path)
        }
    }
}

import LinkstrClient
import NostrCrypto

/// Keys that were unlocked with a passphrase. They stay usable until the account is locked anew, which is seen by what is stored, or the
/// daemon ends; that another process works on the home for a moment changes nothing.
struct UnlockedKeys {
    private var all: [Bytes32: (keys: AccountKeys, stored: LockedKeys)] = [:]

    /// The keys of an account that can be used without asking anybody; nil where they are locked.
    /// - Parameter stored: What is on disk now.
    mutating func keys(of account: Bytes32, _ stored: StoredKeys) -> AccountKeys? {
        switch stored {
        case .open(let keys):
            all[account] = nil
            return keys
        case .locked(let locked):
            if all[account]?.stored != locked {
                all[account] = nil
                if let passphrase = Credential.passphrase(of: account) {
                    // One that is wrong leaves the account locked.
                    try? unlock(account, stored, passphrase: passphrase)
                }
            }
            return all[account]?.keys
        }
    }

    /// Unlocks the keys of an account; does nothing where they are not locked.
    /// - Throws: ``IdentityError/wrongPassphrase`` and others.
    mutating func unlock(_ account: Bytes32, _ stored: StoredKeys, passphrase: String) throws(IdentityError) {
        guard case .locked(let locked) = stored else { return }
        all[account] = (try locked.unlock(passphrase: passphrase), locked)
    }

    /// Forgets the keys of an account.
    mutating func forget(_ account: Bytes32) { all[account] = nil }

    /// Forgets all keys.
    mutating func forgetAll() { all = [:] }
}

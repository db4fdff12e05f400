public import NostrCrypto

/// What can go wrong with accounts and their files, a case for each thing a person can act on. None carries a secret.
public enum IdentityError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Neither a home was given nor does the environment name one.
    case noHome
    /// The system refused; `operation` is a verb such as "read".
    case system(operation: String, path: String, errno: Int32)
    /// A secret's file or directory can be read or written by others. `mode` holds the permission bits.
    case exposed(path: String, mode: UInt32)
    /// A secret's file belongs to another user.
    case notOwned(path: String)
    /// A file holds something else than it should.
    case malformed(path: String)
    /// There is no account at all.
    case noAccount
    /// No account has this name or key.
    case unknownAccount(String)
    /// Several accounts have this name.
    case ambiguousAccount(String, [Bytes32])
    /// The account is here already.
    case accountExists(Bytes32)
    /// The keys are under a passphrase.
    case locked(Bytes32)
    /// The passphrase is another one.
    case wrongPassphrase
    /// The account's local data cannot be read without this file, and a new one would not help.
    case missingDataKey(path: String)
    /// Another process works on this home.
    case inUse(path: String, process: Int32?)
    /// A name has no visible character or more than 80.
    case invalidName

    public var description: String {
        switch self {
        case .noHome: "There is no home directory: set HOME or LINKSTR_HOME, or give --home."
        case .system(let operation, let path, let errno):
            "Cannot \(operation) \(path): \(systemMessage(errno))."
        case .exposed(let path, let mode):
            "\(path) has the mode \(String(mode, radix: 8)), so others can reach a secret: chmod \(hint(mode)) \(path)"
        case .notOwned(let path): "\(path) belongs to another user."
        case .malformed(let path): "\(path) is damaged: it does not hold what it should."
        case .noAccount: "There is no account yet: make one with `linkstr account new` or `linkstr account import`."
        case .unknownAccount(let name):
            "There is no account \(TypedText.repeated(name)) here: `linkstr account list` shows those there are."
        case .ambiguousAccount(let name, let keys):
            "Several accounts are called \(TypedText.repeated(name)): " + keys.map(\.hex).joined(separator: ", ")
        case .accountExists(let key): "The account \(key.hex) is here already."
        case .locked(let key): "The account \(key.hex) is locked."
        case .wrongPassphrase: "The passphrase is wrong."
        case .missingDataKey(let path):
            "\(path) is missing. The local data of this account cannot be read without it: restore it from a backup."
        case .inUse(let path, let process):
            "Another process\(process.map { " (\($0))" } ?? "") works on this home and holds \(path)."
        case .invalidName: "A name has 1 to 80 visible characters."
        }
    }

    private func hint(_ mode: UInt32) -> String {
        mode & 0o111 == 0 ? "600" : "700"
    }
}

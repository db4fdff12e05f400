import CommandKit
import LinkstrClient

enum AccountLock {
    private static let current = Option(
        "current-passphrase-file",
        .file,
        "Read the passphrase of a locked account from FILE"
    )

    static let command = Command(
        "lock",
        "Put the keys of an account under a passphrase",
        details: [
            "Commands that need the keys ask for it from then on. A locked account gets the new passphrase in place of the old."
        ],
        takes: [current, Passphrase.file],
        examples: [Example("linkstr account lock", "Asks for a new passphrase")]
    ) { call in
        let accounts = try Work.accounts(call)
        let account = try accounts.find(call[GlobalOptions.account])
        var old: String?
        if try accounts.isLocked(account.key) {
            old = try Passphrase.get(call, "Current passphrase", from: current)
        }
        let new = try Passphrase.get(call, "New passphrase", isNew: true)
        try await Work.withHome(call, closing: account.key) { try $0.lock(account.key, passphrase: new, current: old) }
        try AccountOutput.line(account, call)
    }
}

import CommandKit
import LinkstrClient

enum AccountList {
    static let command = Command(
        "list",
        "List the accounts of this device",
        examples: [Example("linkstr account list", "Prints one account a line; the chosen one has a star")]
    ) { call in
        let accounts = try Work.accounts(call)
        let all = try accounts.all()
        guard !all.isEmpty else { return }
        let chosen = try accounts.find()
        for account in all {
            if call.console.usesJSON {
                let more: [(name: String, value: JSON)] = [
                    ("chosen", .bool(account == chosen)), ("locked", .bool(try accounts.isLocked(account.key))),
                ]
                try call.console.output.line(.object(AccountOutput.members(account) + more))
            } else {
                let name = account.name.map { "  " + TerminalText.safe($0) } ?? ""
                try call.console.output.line((account == chosen ? "* " : "  ") + account.key.npub + name)
            }
        }
    }
}

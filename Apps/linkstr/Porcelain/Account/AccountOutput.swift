import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum AccountOutput {
    static func members(_ account: Account) -> [(name: String, value: JSON)] {
        [
            ("pubkey", .string(account.key.hex)), ("npub", .string(account.key.npub)),
            ("name", .string(account.name)),
        ]
    }

    static func line(_ account: Account, _ call: Invocation) throws {
        if call.console.usesJSON {
            try call.console.output.line(.object(members(account)))
        } else {
            let name = account.name.map { "  " + TerminalText.safe($0) } ?? ""
            try call.console.output.line(account.key.npub + name)
        }
    }
}

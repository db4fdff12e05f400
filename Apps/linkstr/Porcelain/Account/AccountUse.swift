import CommandKit
import LinkstrClient

enum AccountUse {
    private static let which = Argument("NPUB|NAME", .text, "The account")

    static let command = Command(
        "use",
        "Choose the account that commands work with",
        takes: [which],
        examples: [Example("linkstr account use Ann", "Works as Ann from now on")]
    ) { call in
        // What is wrong is refused without touching the home.
        _ = try Work.accounts(call).find(call[which])
        try await Work.withHome(call) { accounts in
            let account = try accounts.find(call[which])
            try accounts.choose(account.key)
            try AccountOutput.line(account, call)
        }
    }
}

enum AccountShow {
    static let command = Command(
        "show",
        "Show the account that commands work with",
        examples: [Example("linkstr account show --json", "Prints its keys and its name")]
    ) { call in
        try AccountOutput.line(try Work.account(call), call)
    }
}

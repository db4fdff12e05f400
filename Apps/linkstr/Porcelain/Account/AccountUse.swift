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
        let accounts = try Work.accounts(call)
        let account = try accounts.find(call[which])
        try accounts.choose(account.key)
        try AccountOutput.line(account, call)
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

import CommandKit
import LinkstrClient

enum AccountLogout {
    private static let clear = Flag("clear", "Remove the account's data too")

    static let command = Command(
        "logout",
        "Take the key of an account off this device",
        details: ["The data stays for when the key comes back, unless --clear is given."],
        takes: [clear, Confirmation.yes],
        examples: [
            Example("linkstr account logout", "Asks, and removes the key"),
            Example("linkstr account logout --clear --yes", "Removes the key and all data of the account"),
        ]
    ) { call in
        let accounts = try Work.accounts(call)
        let account = try accounts.find(call[GlobalOptions.account])
        var what = "The key of \(Work.npub(account.key)) leaves this device"
        what += call[clear] ? ", and its data is removed." : "; its data stays."
        if !account.isSecretKnownElsewhere {
            what += " It was never shown or exported here: without a copy elsewhere the account is lost for good."
            guard call[Confirmation.yes] else {
                throw CommandFailure(
                    .notPermitted,
                    what + " Nothing was done: say --yes, or `linkstr account export` first"
                )
            }
        }
        try Confirmation.require(call, what)
        try await Work.withHome(call, closing: account.key) { try $0.remove(account.key, clearsData: call[clear]) }
    }
}

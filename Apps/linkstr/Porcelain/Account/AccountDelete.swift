import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum AccountDelete {
    private static let confirm = Option(
        "confirm",
        .publicKey,
        placeholder: "NPUB",
        "The account that is to be deleted, in place of both questions"
    )

    static let command = Command(
        "delete",
        "Ask relays to forget an account, and remove it from this device",
        details: [
            "Publishes an empty follow list, then a request to forget everything of the account (NIP-62); only when relays have "
                + "accepted both is the key removed here. It cannot be taken back. The key itself stays valid wherever it was kept."
        ],
        takes: [confirm],
        examples: [Example("linkstr account delete --confirm npub1...", "Deletes that account, and no other")]
    ) { call in
        let account = try Work.account(call)
        try ask(call, account)
        let farewell = try await Work.withRuntime(call, account.key) { runtime, accounts in
            try await runtime.deleteAccount(from: accounts)
        }
        for (relay, reason) in farewell.unconfirmed.sorted(by: { $0.key.text < $1.key.text }) {
            call.console.warn("\(relay.text) has not confirmed that it forgets the account: \(reason)")
        }
        AccountLogout.warn(call, farewell.devices)
        if let leftovers = farewell.leftovers {
            call.console.warn("not all of its data could be removed: \(leftovers)")
        }
        call.console.say(AccountRuntime.Farewell.sentence)
    }

    private static func ask(_ call: Invocation, _ account: Account) throws {
        let npub = account.key.npub
        if let confirmed = call[confirm] {
            guard confirmed.bytes == account.key else {
                throw CommandFailure(.notPermitted, "--confirm names another account than \(npub); nothing was done")
            }
            return
        }
        guard Console.canAsk else {
            throw CommandFailure(.notPermitted, "nothing was done: where nobody can be asked, say --confirm \(npub)")
        }
        let first = try Confirmation.ask(
            call,
            "Relays are asked to forget everything of \(npub), and its key and data are removed here, for good. Go on? [y/N]"
        ).lowercased()
        guard first == "y" || first == "yes", try Confirmation.ask(call, "Type the npub to confirm:") == npub else {
            throw CommandFailure(.notPermitted, "not confirmed; nothing was done")
        }
    }
}

import CommandKit
import LinkstrClient
import NostrCrypto

enum AccountLogout {
    private static let clear = Flag("clear", "Remove the account's data too")

    static let command = Command(
        "logout",
        "Take the key of an account off this device",
        details: [
            "The data stays for when the key comes back, unless --clear is given. A push service that devices were registered with is "
                + "asked first to wake them no longer; it is waited for five seconds at most."
        ],
        takes: [clear, Confirmation.yes],
        examples: [
            Example("linkstr account logout", "Asks, and removes the key"),
            Example("linkstr account logout --clear --yes", "Removes the key and all data of the account"),
        ]
    ) { call in
        let accounts = try Work.accounts(call)
        let account = try accounts.find(call[GlobalOptions.account])
        var what = "The key of \(account.key.npub) leaves this device"
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
        try await Work.withHome(call, closing: account.key) { accounts in
            warn(call, await leavePushServices(call, account.key, accounts))
            try accounts.remove(account.key, clearsData: call[clear])
        }
    }

    /// Devices that a push service may go on waking.
    static func warn(_ call: Invocation, _ devices: [PushRegistrations.Device]) {
        for service in Set(devices.map(\.service)).sorted() {
            call.console.warn(
                "\(service) has not confirmed that it wakes the account's devices no longer; an app on them that is still logged in "
                    + "can ask it to"
            )
        }
    }

    /// Best effort: the account leaves in any case. Keys under a passphrase are opened where a file of it is named; nobody is asked.
    private static func leavePushServices(
        _ call: Invocation,
        _ account: Bytes32,
        _ accounts: Accounts
    ) async -> [PushRegistrations.Device] {
        let folder = accounts.home.account(account)
        guard let known = try? PushRegistrations(folder: folder).devices, !known.isEmpty else { return [] }
        // Without the settings of the network a service would be asked from another address than ever before.
        guard let keys = try? keys(call, account, accounts), let options = try? ClientOptions(accounts.home) else {
            return known
        }
        return await PushRegistrations.leave(
            folder: folder,
            keyPair: keys.keyPair,
            http: options.pushHTTP,
            within: options.pushLeavingTime
        )
    }

    private static func keys(_ call: Invocation, _ account: Bytes32, _ accounts: Accounts) throws -> AccountKeys {
        let isAsked = try accounts.isLocked(account) && call[Passphrase.file] != nil
        return try accounts.open(account, passphrase: isAsked ? Passphrase.get(call) : nil)
    }
}

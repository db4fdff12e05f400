import CommandKit
import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents

enum AccountUnlock {
    static let command = Command(
        "unlock",
        "Give a running daemon the passphrase of a locked account",
        details: [
            "The passphrase goes over the daemon's socket and nowhere else; the files stay locked. Without a daemon there is "
                + "nothing to unlock: commands ask for the passphrase."
        ],
        takes: [Passphrase.file],
        examples: [Example("linkstr account unlock", "Asks for the passphrase")]
    ) { call in
        let account = try Work.account(call)
        guard let client = try await DaemonLink.connect(call) else {
            throw CommandFailure(.unavailable, "no daemon runs; without one, commands ask for the passphrase")
        }
        let passphrase = try Passphrase.get(call)
        let parameters = RawJSON(["account": .string(account.key.hex), "passphrase": .string(passphrase)])
        do {
            _ = try await client.call("account.unlock", parameters)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        try AccountOutput.line(account, call)
    }
}

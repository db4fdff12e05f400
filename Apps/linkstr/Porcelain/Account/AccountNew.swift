import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum AccountNew {
    private static let name = Option("name", .text, "What to call the account")
    private static let showSecret = Flag("show-secret", "Print the secret key also where no person watches")

    static let command = Command(
        "new",
        "Make an account with a new key",
        details: [
            "Prints its npub; on a terminal also the secret key, once: write it down, nobody can restore it. No relay is needed; where "
                + "one is reached within three seconds, the name is published as that of the profile."
        ],
        takes: [name, showSecret],
        examples: [
            Example("linkstr account new --name Ann", "Makes an account called Ann"),
            Example("linkstr account new --json", "Prints its key for a script, without the secret"),
        ]
    ) { call in
        let key = SecretKey.generate()
        let shows = call[showSecret] || (call.console.output.isTerminal && !call.console.usesJSON)
        let account = try await Work.withHome(call) { accounts in
            try accounts.add(key, name: call[name], isImported: false, now: Clock.now)
        }
        if let name = account.name { await publish(name, of: account, call) }
        var members = AccountOutput.members(account)
        if shows { members.append(("nsec", .string(KeyOutput.nsec(key)))) }
        if call.console.usesJSON {
            try call.console.output.line(.object(members))
        } else {
            try AccountOutput.line(account, call)
            if shows { try call.console.output.line(KeyOutput.nsec(key)) }
        }
        guard shows else { return }
        // It counts as known elsewhere once it has left this program.
        try call.console.output.flush()
        try await Work.withHome(call) { try $0.noteSecretKnownElsewhere(account.key) }
        guard !call.console.usesJSON else { return }
        call.console.say("Keep the nsec somewhere safe: it is the account, and it is shown this once.")
    }

    /// Publishes the name if that can be done at once. The account is made in any case.
    private static func publish(_ name: String, of account: Account, _ call: Invocation) async {
        do {
            _ = try await Work.withPerformer(call, account: account, timeout: .seconds(3)) { performer in
                try await performer.perform(.profileSet, ["name": .string(name), "first": true])
            }
        } catch {
            call.console.say("The name is kept here and not published: `linkstr profile set --name NAME` does that.")
        }
    }
}

import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// Asking about keys that are no contacts before they are let into a session: a mistyped or swapped key would read along.
enum Strangers {
    static let flag = Flag("not-a-contact", "Go on though a key is no contact")

    /// The flag, where it is needed and nobody can be asked; told by what is known here.
    static func missing(_ call: Invocation, _ performer: any Performer, _ keys: [Bytes32]) async throws -> [Flag] {
        guard !keys.isEmpty, !Console.canAsk, !call[Confirmation.yes], !call[flag] else { return [] }
        let contacts = try await performer.perform(.contactList, ["known": true]).map { $0["pubkey"]?.string }
        let own = try Work.account(call).key
        return keys.allSatisfy { $0 == own || contacts.contains($0.hex) } ? [] : [flag]
    }

    /// Shows each key that is no contact with the name it calls itself by, and asks; `--yes` does not cover it.
    static func confirm(_ call: Invocation, _ performer: any Performer, _ keys: [Bytes32]) async throws {
        guard !keys.isEmpty else { return }
        let known = try await performer.perform(.contactNames, ["keys": .array(keys.map { .string($0.hex) })])
        for one in known where one["contact"]?.bool != true {
            let name = one["name"]?.string.map { ", who calls themselves \($0.debugDescription)," } ?? ""
            let what = "\(one["npub"]?.string ?? "")\(name) is no contact of yours."
            if call[flag] {
                call.console.explain(what)
                continue
            }
            guard Console.canAsk else {
                throw CommandFailure(
                    .notPermitted,
                    "\(what) Nothing was done: say --not-a-contact where nobody can be asked, or `linkstr contact add` first"
                )
            }
            let answer = try Confirmation.ask(call, what + " Let them in? [y/N]").lowercased()
            guard answer == "y" || answer == "yes" else {
                throw CommandFailure(.notPermitted, "not confirmed; nothing was done")
            }
        }
    }
}

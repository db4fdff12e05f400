import CommandKit
import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrTransport

/// Looks at everything that commands stand on, and says how to mend what is wrong.
enum Doctor {
    private static let offline = Flag("offline", "Ask no relay and no push service")

    static let command = Command(
        "doctor",
        "Look for what is wrong, and say how to mend it",
        details: ["Changes nothing. Exits with 1 when something is wrong."],
        takes: [offline],
        examples: [Example("linkstr doctor", "Looks at the home, the accounts, their push service and the relays")]
    ) { call in
        var report = Report(call)
        await report.look()
        if report.problems > 0 { throw CommandFailure.reported(.unexpected) }
    }

    private struct Report {
        let call: Invocation
        private(set) var problems = 0

        init(_ call: Invocation) { self.call = call }

        mutating func look() async {
            let home: Home
            do { home = try Work.home(call) } catch {
                tell("home", problem: "there is no home directory", mend: "set HOME, or name a directory with --home")
                return
            }
            tell("home", good: home.data)
            let accounts = Accounts(home)
            let all: [Account]
            do {
                let (readable, damaged) = try accounts.inspect()
                for (key, error) in damaged { tell(error, of: key, accounts) }
                all = readable
                guard !all.isEmpty || damaged.isEmpty else { return }
            } catch {
                tell(
                    "accounts",
                    problem: error,
                    mend: "files of accounts have the mode 600 in directories of the mode 700"
                )
                return
            }
            guard !all.isEmpty else {
                tell(
                    "accounts",
                    problem: "there is no account yet",
                    mend: "linkstr account new, or linkstr account import"
                )
                return
            }
            do {
                _ = try accounts.find()
            } catch  where error == .malformed(path: home.current) {
                tell("chosen account", problem: error, mend: "linkstr account use NAME")
            } catch {
                // Told with the account that it concerns.
            }
            for account in all { await look(at: account, accounts) }
            await lookAtRelays(home)
        }

        private mutating func look(at account: Account, _ accounts: Accounts) async {
            let name = account.key.npub
            do {
                guard try !accounts.isLocked(account.key) else {
                    tell(name, good: "its keys are under a passphrase, so its database was not looked at")
                    return
                }
                let call = call
                let (found, push) = try await Work.withPerformer(call, account: account) { performer in
                    let found = try await performer.one(.accountCheck, [:])
                    return (found, call[Doctor.offline] ? .null : try await performer.one(.pushStatus, [:]))
                }
                let damage = found["problems"]?.array?.compactMap(\.string) ?? []
                guard damage.isEmpty else {
                    for one in damage.prefix(10) { tell(name, problem: one, mend: Self.restore(account.key, accounts)) }
                    return
                }
                tell(name, good: "keys and database are sound")
                for one in found["hidden"]?.array?.compactMap(\.string) ?? [] { tell(name, good: one) }
                look(atPush: push, of: name)
            } catch {
                tell(error, of: account.key, accounts)
            }
        }

        private mutating func look(atPush status: JSONValue, of name: String) {
            guard let text = status["service"]?.string else { return }
            let service = (try? PushClient.address(text)) ?? text
            let what = "\(name) at \(service)"
            if let problem = status["problem"]?.string {
                return tell(
                    what,
                    problem: problem,
                    mend: "linkstr push status says it again; linkstr config set push_service URL names another one"
                )
            }
            let devices = (status["devices"]?.array ?? []).compactMap { $0["service"]?.string }
            let elsewhere = Set(devices).subtracting([service]).sorted()
            guard elsewhere.isEmpty else {
                return tell(
                    what,
                    problem: "devices of the account are registered with \(elsewhere.joined(separator: ", ")) instead",
                    mend: "linkstr push unregister takes them out there, and linkstr push register brings them here"
                )
            }
            let count = devices.isEmpty ? "no device was" : devices.count.counted("device was", "devices were")
            tell(what, good: "the push service answers and accepts the account's signature; \(count) registered here")
        }

        /// Tells why an account could not be looked at. Only damage asks for a copy from before.
        private mutating func tell(_ error: any Error, of account: Bytes32, _ accounts: Accounts) {
            let mend: String
            switch (error, (error as? any ExitCoded)?.exitCode ?? .unexpected) {
            case (IdentityError.exposed(let path, let mode), _):
                mend = "chmod \(mode & 0o111 == 0 ? "600" : "700") \(path)"
            case (IdentityError.notOwned, _): mend = "chown gives it back to the user who runs linkstr"
            case (_, .timedOut):
                mend =
                    "nothing is known to be wrong with the account: try again when that process has ended, or let a daemon "
                    + "(`linkstrd run`) do the work of all"
            case (is ControlError, .configuration), (is ControlError, .unavailable):
                mend = "stop that daemon, or start it anew"
            default: mend = Self.restore(account, accounts)
            }
            tell(account.npub, problem: error, mend: mend)
        }

        private static func restore(_ account: Bytes32, _ accounts: Accounts) -> String {
            "nothing was changed. The files are in \(accounts.home.account(account)): copy them away, then bring back a "
                + "copy from before, or import an export; `linkstr --temporary` works meanwhile"
        }

        private mutating func lookAtRelays(_ home: Home) async {
            let relays: [RelayURL]
            do { relays = try home.relayList().enabled } catch {
                tell("relays", problem: error, mend: "linkstr relay reset brings the shipped list back")
                return
            }
            guard !relays.isEmpty else {
                tell("relays", problem: "no relay is enabled", mend: "linkstr relay add URL, or linkstr relay reset")
                return
            }
            guard !call[Doctor.offline] else { return }
            let pool: RelayPool
            do {
                pool = try RelayPool(options: try ClientOptions(home).transport)
            } catch let error as ClientError {
                tell("network", problem: error, mend: "linkstr config unset proxy, or linkstr config unset extra_ca")
                return
            } catch {
                tell("relays", problem: error, mend: "too many files are open, or there can be no more threads")
                return
            }
            for relay in relays { pool.add(relay) }
            let states = await Self.states(pool, relays, within: call[GlobalOptions.timeout] ?? .seconds(8))
            await pool.shutDown()
            for relay in relays {
                guard let state = states[relay] else { continue }
                state == .connected
                    ? tell(relay.text, good: state.description)
                    : tell(relay.text, problem: state.description, mend: "linkstr relay test \(relay.text) says more")
            }
        }

        private static func states(
            _ pool: RelayPool,
            _ relays: [RelayURL],
            within time: Duration
        ) async -> [RelayURL: RelayState] {
            let updates = pool.statusUpdates()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await statuses in updates {
                        let own = relays.compactMap { statuses[$0]?.state }
                        if own.count == relays.count, own.allSatisfy(\.isOpen) { return }
                    }
                }
                group.addTask { try? await Task.sleep(for: time) }
                _ = await group.next()
                group.cancelAll()
            }
            return pool.statuses.mapValues(\.state)
        }

        private func tell(_ what: String, good: String) {
            print(["check": .string(what), "ok": true, "message": .string(good), "mend": nil], "ok     ", what, good)
        }

        private mutating func tell(_ what: String, problem: any Error, mend: String) {
            let text = (problem as? any ExitCoded)?.sentence ?? "\(problem)"
            tell(what, problem: text, mend: mend)
        }

        private mutating func tell(_ what: String, problem text: String, mend: String) {
            problems += 1
            // Each is a sentence without its end, whoever wrote it.
            let problem = String(text.reversed().drop { $0 == "." || $0.isWhitespace }.reversed())
            let json: JSON = [
                "check": .string(what), "ok": false, "message": .string(problem), "mend": .string(mend),
            ]
            // Some sentences end with what is to be done.
            print(json, "WRONG  ", what, problem.hasSuffix(mend) ? problem : problem + "; " + mend)
        }

        private func print(_ json: JSON, _ mark: String, _ what: String, _ message: String) {
            // A closed pipe is found out when the output is flushed.
            try? call.console.usesJSON
                ? call.console.output.line(json)
                : call.console.output.line(
                    mark + TerminalText.safe(what) + ": " + TerminalText.safe(message, width: 500)
                )
        }
    }
}

import CommandKit
import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrTransport

/// Where relays stand now: a daemon says it of the connections that it keeps; without one the relays are asked, if that is wanted.
enum RelayConditions {
    /// By address; relays of which nothing is known are missing.
    static func now(_ call: Invocation, _ relays: [RelayURL], asking: Bool) async throws -> [String: JSONObject] {
        if let daemon = try await DaemonLink.connect(call) {
            do {
                let status = try await daemon.call("status", RawJSON([:]), silence: .seconds(10)).value()
                await daemon.close()
                return ofDaemon(status, account: try? Work.account(call).key.hex)
            } catch {
                await daemon.close()
                throw error
            }
        }
        return asking ? try await ask(relays, call) : [:]
    }

    /// What the runtime of the account in use says, or else that of another one.
    private static func ofDaemon(_ status: JSONValue, account: String?) -> [String: JSONObject] {
        var found: [String: JSONObject] = [:]
        let accounts = status["accounts"]?.array ?? []
        for one in accounts.filter({ $0["pubkey"]?.string != account })
            + accounts.filter({ $0["pubkey"]?.string == account })
        {
            for relay in one["relays"]?.array ?? [] {
                if let url = relay["url"]?.string { found[url] = relay.object }
            }
        }
        return found
    }

    /// Connects to the relays and has each answer a request for nothing.
    private static func ask(_ relays: [RelayURL], _ call: Invocation) async throws -> [String: JSONObject] {
        let pool = try RelayPool(options: try ClientOptions(try Work.home(call)).transport)
        let time = call[GlobalOptions.timeout] ?? .seconds(5)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var options = SubscriptionOptions.stored
                options.stallTime = time
                _ = await pool.fetch([Filter(kinds: [.metadata], limit: 1)], from: relays, options: options)
            }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
        var found: [String: JSONObject] = [:]
        for relay in relays {
            let condition = RelayCondition(await pool.connection(to: relay)?.status, now: Clock.now)
            var object = condition.members
            object["state"] = .string(condition.state.description)
            found[relay.text] = object
        }
        await pool.shutDown()
        try Task.checkCancellation()
        return found
    }
}

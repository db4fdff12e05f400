import Foundation
import LinkstrClient
import LinkstrSessions
import NostrCrypto
import Testing

@Test func theExampleOfTheReadmeHolds() async throws {
    let village = try await Village()
    let relays = [village.url]
    let temporary = try TemporaryHome()
    let environment = ["LINKSTR_HOME": temporary.path]
    let now: Int64 = 1_700_000_000

    let accounts = Accounts(try Home(environment: environment))
    let account = try accounts.add(.generate(), name: "Ann", isImported: false, now: now)
    try accounts.lock(account.key, passphrase: "correct horse")
    let keys = try accounts.open(account.key, passphrase: "correct horse")
    #expect(keys.publicKey.bytes == account.key)

    let runtime = try await AccountRuntime.open(keys, home: accounts.home, relays: relays)
    let events = runtime.events()
    await runtime.start()
    _ = try await runtime.send(runtime.planner().create(name: "Films", members: []))
    for await event in events {
        guard case .sessionAppeared(let session) = event.kind else { continue }
        print(session.name ?? "")
        break
    }
    #expect(try await runtime.store.sessions().map(\.name) == ["Films"])
    await runtime.close()
    try await village.close()
}

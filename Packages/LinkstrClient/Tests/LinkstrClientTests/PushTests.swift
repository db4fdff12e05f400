import Foundation
import LinkstrClient
import LinkstrPush
import Locking
import NostrCrypto
import NostrEvents
import Sockets
import Testing

/// The client's half of push against the gateway of this repository, over the loopback.
@Suite(.timeLimit(.minutes(10))) struct PushTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()

    @Test func aPostAndAReactionWakeTheDevicesOfTheOthers() async throws {
        let gateway = try await Gateway()
        let (mine, theirs) = try (
            PushClient(baseURL: gateway.url, keyPair: alice), PushClient(baseURL: gateway.url + "/", keyPair: bob)
        )
        try await mine.checkHealth()
        try await mine.register("aa", .production)
        try await theirs.register("bb", .sandbox)
        let members = [alice.publicKey.bytes, bob.publicKey.bytes]
        let post = await mine.announce(.post(id: "e1", sessionID: "S"), to: members)
        #expect(post == .success(PushAcceptance(recipients: 1, devices: 1)))
        let again = await mine.announce(.post(id: "e1", sessionID: "S"), to: members)
        #expect(again == .success(PushAcceptance(recipients: 0, devices: 0)))
        let reaction = await theirs.announce(.reaction(id: "e2", emoji: "👍", postID: "e1", sessionID: "S"), to: members)
        #expect(reaction == .success(PushAcceptance(recipients: 1, devices: 1)))
        let sent = await gateway.delivered(2)
        await gateway.stop()
        #expect(sent.map(\.token).sorted() == ["aa", "bb"])
        #expect(sent.first { $0.token == "bb" }?.payload["event_id"] == "e1")
        #expect(sent.first { $0.token == "aa" }?.payload["post_id"] == "e1")
        #expect(sent.first { $0.token == "aa" }?.payload["emoji"] == "👍")
    }

    @Test func moreMembersThanFitIntoOneRequestAreTold() async throws {
        let gateway = try await Gateway()
        let theirs = try PushClient(baseURL: gateway.url, keyPair: bob)
        try await theirs.register("bb", .sandbox)
        let members = (1...1200).map { Bytes32(words: 0, 0, 0, $0) } + [bob.publicKey.bytes]
        let mine = try PushClient(baseURL: gateway.url, keyPair: alice)
        let told = await mine.announce(.post(id: "e1", sessionID: "S"), to: members)
        #expect(told == .success(PushAcceptance(recipients: 1, devices: 1)))
        await gateway.stop()
    }

    @Test func anUnregisteredDeviceStaysQuiet() async throws {
        let gateway = try await Gateway()
        let (mine, theirs) = try (
            PushClient(baseURL: gateway.url, keyPair: alice), PushClient(baseURL: gateway.url, keyPair: bob)
        )
        try await theirs.register("bb", .sandbox)
        try await theirs.unregister("bb")
        let told = await mine.announce(.post(id: "e1", sessionID: "S"), to: [bob.publicKey.bytes])
        #expect(told == .success(PushAcceptance(recipients: 0, devices: 0)))
        await gateway.stop()
    }

    @Test func failuresAreResultsThatCanBeActedOn() async throws {
        let gateway = try await Gateway { $0.limits.perAccount = .init(burst: 1, perSecond: 0) }
        let slow = try PushClient(baseURL: gateway.url, keyPair: alice, now: { PushClient.systemTime() - 400 })
        await #expect(throws: PushClientError.notAuthorized) { try await slow.register("aa", .sandbox) }
        let mine = try PushClient(baseURL: gateway.url, keyPair: alice)
        let refused = await mine.announce(
            .post(id: "e", sessionID: String(repeating: "s", count: 5000)),
            to: [bob.publicKey.bytes]
        )
        guard case .failure(.refused) = refused else {
            Issue.record("not refused: \(refused)")
            return
        }
        await #expect(throws: PushClientError.tooManyRequests) { try await mine.register("aa", .sandbox) }
        let lost = try PushClient(baseURL: gateway.url + "/more", keyPair: bob)
        await #expect(throws: PushClientError.unexpectedAnswer) { try await lost.register("aa", .sandbox) }
        await gateway.stop()
        let nobody = await mine.announce(.post(id: "e", sessionID: "S"), to: [bob.publicKey.bytes])
        guard case .failure(.connection) = nobody else {
            Issue.record("nobody answered: \(nobody)")
            return
        }
    }

    @Test(arguments: [
        ("https://push.example", true), ("https://push.example/a/", true), ("http://127.0.0.1:80", true),
        ("http://[::1]:80/", true), ("http://localhost", true), ("http://push.example", false),
        ("http://10.0.0.1", false), ("https://push.example/?a", false), ("wss://push.example", false), ("push", false),
        ("", false),
    ])
    func onlyAddressesOverWhichNobodyElseReadsAreUsed(address: String, isUsed: Bool) {
        #expect(((try? PushClient(baseURL: address, keyPair: alice)) != nil) == isUsed)
    }

    @Test func archiveStateGoesInSortedBatchesAndOnlyWhatChanged() async throws {
        let log = try PushLog()
        let client = try PushClient(baseURL: log.url, keyPair: alice)
        let sync = PushArchiveSync(client)
        try await sync.sync([:])
        #expect(log.take().isEmpty)

        var choices: [String: Bool] = [:]
        for number in 0..<450 { choices["s\(1000 + number)"] = number % 3 == 0 }
        choices[" blank"] = true
        choices[""] = true
        try await sync.sync(choices)
        let first = log.take()
        #expect(first.map(\.known.count) == [200, 200, 50])
        let known = first.flatMap(\.known)
        #expect(known == known.sorted())
        #expect(first.flatMap(\.archived) == known.filter { choices[$0] == true })
        #expect(first.filter { Set($0.archived).isSubset(of: Set($0.known)) }.count == 3)

        try await sync.sync(choices)
        #expect(log.take().isEmpty)
        choices["s1000"] = false
        choices["new"] = true
        try await sync.sync(choices)
        let second = log.take()
        #expect(second.map(\.known) == [["new", "s1000"]])
        #expect(second.map(\.archived) == [["new"]])

        // After a failed batch everything is sent again.
        for number in 0..<450 { choices["s\(1000 + number)"] = number % 3 == 1 }
        log.fails.withLock { $0 = 2 }
        await #expect(throws: PushClientError.unavailable(status: 500)) { try await sync.sync(choices) }
        #expect(log.take().count == 1)
        try await sync.sync(choices)
        #expect(log.take().map(\.known.count) == [200, 200, 51])

        await sync.reset()
        try await sync.sync(choices)
        #expect(log.take().map(\.known.count) == [200, 200, 51])
        log.server.close()
    }

    @Test func archiveStateIsSentByOneAtATime() async throws {
        let log = try PushLog()
        let client = try PushClient(baseURL: log.url, keyPair: alice)
        let sync = PushArchiveSync(client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await sync.sync(["a": true, "b": false]) } }
            try await group.waitForAll()
        }
        let sent = log.take()
        #expect(sent.map(\.known) == [["a", "b"]])
        #expect(sent.map(\.archived) == [["a"]])
        log.server.close()
    }

    @Test func registrationsAreKeptInAFileForTheOwnerAlone() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/registrations-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var registrations = try PushRegistrations(folder: folder)
        #expect(registrations.devices.isEmpty)
        registrations.add(.init(token: "a", environment: .sandbox, service: "https://one.example"))
        registrations.add(.init(token: "b", environment: .production, service: "https://one.example"))
        registrations.add(.init(token: "a", environment: .production, service: "https://two.example"))
        try registrations.write(folder: folder)
        let read = try PushRegistrations(folder: folder)
        #expect(read == registrations)
        #expect(read.devices.map(\.token) == ["b", "a"])
        #expect(read.devices.last?.service == "https://two.example")
        registrations.remove(token: "a")
        #expect(registrations.devices.map(\.token) == ["b"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/push.json")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder + "/push.json"))
        #expect(throws: IdentityError.self) { try PushRegistrations(folder: folder) }
    }
}

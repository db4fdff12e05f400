import LinkstrPush
import Locking
import NostrCrypto
import NostrEvents
import Sockets
import Testing

@Suite struct RequestTests {
    private let alice = KeyPair.generate()

    @Test func healthNeedsNoSignature() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        let answer = try await gateway.send(gateway.raw("GET", "/healthz", ""))
        #expect(answer == Gateway.Answer(status: 200, body: ["status": "ok"]))
        await gateway.service.stop()
    }

    @Test(arguments: [
        ("GET", "/", 404), ("POST", "/v1/devices", 404), ("POST", "/v1/push/", 404), ("GET", "/v2/push", 404),
        ("POST", "/healthz", 405), ("GET", "/v1/push", 405), ("POST", "/v1/conversations/archive-state", 405),
        ("PUT", "/v1/devices/register", 405), ("DELETE", "/v1/devices/unregister", 405),
    ])
    func unknownPathsAndMethodsAreRefused(method: String, path: String, status: Int) async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        #expect(try await gateway.ask(method, path, [:], by: alice).status == status)
        await gateway.service.stop()
    }

    private static let post: JSONValue = [
        "notification_type": "new_post", "event_id": "e", "conversation_id": "S", "recipient_pubkeys": ["x"],
    ]
    private static let reaction: JSONValue = [
        "notification_type": "new_emoji_reaction", "event_id": "e", "conversation_id": "S", "recipient_pubkeys": ["x"],
        "emoji": "👍",
    ]
    private static let device: JSONValue = ["device_token": "abc", "apns_environment": "sandbox"]

    /// A right body with one member changed; nil removes it.
    private struct Row: Sendable, CustomTestStringConvertible {
        let path: String
        let body: JSONValue
        let status: Int
        var testDescription: String { "\(path) \(body) -> \(status)" }

        init(_ path: String, _ body: JSONValue, _ name: String = "", _ value: JSONValue? = nil, _ status: Int = 400) {
            self.path = path
            var object = body.object ?? JSONObject()
            if !name.isEmpty { object[name] = value }
            self.body = body.object == nil ? body : .object(object)
            self.status = status
        }
    }

    private static let register = "/v1/devices/register"
    private static let unregister = "/v1/devices/unregister"
    private static let archive = "/v1/conversations/archive-state"
    private static let push = "/v1/push"

    private static let rows: [Row] = [
        Row(register, device, "", nil, 202), Row(register, device, "more", 1, 202),
        Row(register, device, "device_token", nil), Row(register, device, "device_token", nil as JSONValue?),
        Row(register, device, "device_token", .null), Row(register, device, "device_token", "  \n"),
        Row(register, device, "device_token", 5), Row(register, device, "device_token", ["a"]),
        Row(register, device, "device_token", .string(String(repeating: "a", count: 513))),
        Row(register, device, "device_token", .string(String(repeating: "a", count: 512)), 202),
        Row(register, device, "apns_environment", nil), Row(register, device, "apns_environment", "test"),
        Row(register, device, "apns_environment", " Production\t", 202),
        Row(register, device, "apns_environment", "SANDBOX", 202), Row(register, device, "apns_environment", true),
        Row(register, []), Row(register, "text"), Row(register, .null),
        Row(unregister, ["device_token": "abc"], "", nil, 202), Row(unregister, [:]),
        Row(unregister, ["device_token": " "]), Row(unregister, ["device_token": 1]),
        Row(archive, ["archived_conversation_ids": []], "", nil, 202),
        Row(archive, ["archived_conversation_ids": [" a ", "", "a"]], "", nil, 202),
        Row(archive, [:]), Row(archive, ["archived_conversation_ids": nil]),
        Row(archive, ["archived_conversation_ids": "a"]), Row(archive, ["archived_conversation_ids": [1]]),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": nil], "", nil, 202),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": []], "", nil, 202),
        Row(archive, ["archived_conversation_ids": ["a"], "known_conversation_ids": ["a", "b"]], "", nil, 202),
        Row(archive, ["archived_conversation_ids": ["a"], "known_conversation_ids": ["b"]]),
        Row(archive, ["archived_conversation_ids": ["a "], "known_conversation_ids": ["a"]]),
        Row(archive, ["archived_conversation_ids": ["a"], "known_conversation_ids": []]),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": [""]]),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": [" a"]]),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": "a"]),
        Row(archive, ["archived_conversation_ids": [], "known_conversation_ids": [1]]),
        Row(archive, ["known_conversation_ids": ["a"]]),
        Row(push, post, "", nil, 202), Row(push, post, "notification_type", nil),
        Row(push, post, "notification_type", "new_thing"), Row(push, post, "notification_type", " new_post ", 202),
        Row(push, post, "notification_type", 1), Row(push, post, "event_id", nil), Row(push, post, "event_id", " "),
        Row(push, post, "event_id", 1), Row(push, post, "conversation_id", nil),
        Row(push, post, "conversation_id", ""), Row(push, post, "recipient_pubkeys", nil),
        Row(push, post, "recipient_pubkeys", .null), Row(push, post, "recipient_pubkeys", "x"),
        Row(push, post, "recipient_pubkeys", [1]), Row(push, post, "recipient_pubkeys", [" ", ""]),
        Row(push, post, "emoji", "x", 202), Row(push, post, "emoji", 1), Row(push, post, "post_id", 1),
        Row(push, reaction, "", nil, 202), Row(push, reaction, "emoji", nil), Row(push, reaction, "emoji", " "),
        Row(push, reaction, "emoji", .null), Row(push, reaction, "post_id", "p", 202),
        Row(push, post, "conversation_id", .string(String(repeating: "c", count: 5000))),
    ]

    @Test(arguments: rows)
    private func bodiesAreTakenOrRefused(_ row: Row) async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        let method = row.path == Self.archive ? "PUT" : "POST"
        let answer = try await gateway.ask(method, row.path, row.body, by: alice)
        #expect(answer.status == row.status)
        #expect((answer.body["error"]?.string != nil) == (row.status == 400))
        await gateway.service.stop()
    }

    @Test(arguments: [(0, 202), (1, 400)])
    func aBodyOf65536BytesIsTakenAndALargerOneRefused(more: Int, status: Int) async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        var body = #"{"device_token":"abc","apns_environment":"sandbox"}"#
        body += String(repeating: " ", count: 65_536 + more - body.utf8.count)
        let request = gateway.request("POST", "/v1/devices/register", body, by: alice, Gateway.Difference())
        let answer = try await gateway.send(request)
        #expect(answer.status == status)
        #expect((answer.body["error"]?.string != nil) == (status == 400))
        await gateway.service.stop()
    }

    @Test func answersSayWhatWasDone() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        #expect(try await gateway.register("t", by: alice) == .init(status: 202, body: ["status": "registered"]))
        #expect(try await gateway.archive([], by: alice) == .init(status: 202, body: ["status": "synced"]))
        #expect(try await gateway.post("e", to: [alice], by: .generate()) == .accepted(1, 1))
        #expect(try await gateway.unregister("t", by: alice) == .init(status: 202, body: ["status": "unregistered"]))
        await gateway.service.stop()
    }

    @Test func whatCannotBeStoredIsAnsweredWith500AndMayBeRepeated() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let store = FailingStore(try await SQLitePushStore(folder.database, now: clock.milliseconds))
        let gateway = try await Gateway(folder, clock: clock, store: store)
        let body = #"{"device_token":"abc","apns_environment":"sandbox"}"#
        let request = gateway.request("POST", "/v1/devices/register", body, by: alice, Gateway.Difference())
        store.fails.withLock { $0 = true }
        #expect(try await gateway.send(request).status == 500)
        #expect(try await gateway.send(gateway.raw("GET", "/healthz", "")).status == 500)
        store.fails.withLock { $0 = false }
        #expect(try await gateway.send(request).status == 202)
        #expect(try await eventually { try await gateway.send(gateway.raw("GET", "/healthz", "")).status == 200 })
        await gateway.service.stop()
    }

    @Test func anAccountThatAsksTooOftenIsHeldBackAndOthersAreNot() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) { $0.limits.perAccount = .init(burst: 2, perSecond: 1) }
        #expect(try await gateway.register("1", by: alice).status == 202)
        #expect(try await gateway.register("2", by: alice).status == 202)
        #expect(try await gateway.register("3", by: alice).status == 429)
        #expect(try await gateway.register("4", by: .generate()).status == 202)
        gateway.clock.advance(1000)
        #expect(try await gateway.register("5", by: alice).status == 202)
        #expect(gateway.service.metrics.values.limited == 1)
        await gateway.service.stop()
    }

    @Test func aClockThatIsSetBackByAnHourGivesNothingAndKeepsNobodyOutForAnHour() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) { $0.limits.perAccount = .init(burst: 1, perSecond: 1) }
        #expect(try await gateway.register("1", by: alice).status == 202)
        gateway.clock.advance(-3_600_000)
        #expect(try await gateway.register("2", by: alice).status == 429)
        gateway.clock.advance(1_000)
        #expect(try await gateway.register("2", by: alice).status == 202)
        #expect(try await gateway.register("3", by: alice).status == 429)
        await gateway.service.stop()
    }

    @Test func anAddressThatAsksTooOftenIsHeldBackAndOthersBehindTheProxyAreNot() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) {
            $0.limits.perAddress = .init(burst: 1, perSecond: 1)
            $0.proxies = [.loopback4]
        }
        func ask(_ address: String) async throws -> Int {
            let fields = "X-Forwarded-For: 1.2.3.4, \(address)\r\n"
            return try await gateway.send(gateway.raw("POST", "/v1/push", "", fields)).status
        }
        #expect(try await ask("192.0.2.1") == 401)
        #expect(try await ask("192.0.2.1") == 429)
        #expect(try await ask("192.0.2.2") == 401)
        #expect(try await ask("2001:db8::1") == 401)
        #expect(try await ask("2001:db8::2") == 429)
        #expect(try await ask("2001:db8:0:1::2") == 401)
        await gateway.service.stop()
    }

    /// As if a proxy had passed the request on for an address.
    private func from(_ address: String) -> Gateway.Difference {
        Gateway.Difference(header: { $0 + "\r\nX-Forwarded-For: \(address)" })
    }

    private func register(
        _ token: String,
        by key: KeyPair,
        from address: String,
        _ gateway: Gateway
    ) async throws -> Int {
        let body: JSONValue = ["device_token": .string(token), "apns_environment": "sandbox"]
        return try await gateway.ask("POST", "/v1/devices/register", body, by: key, from(address)).status
    }

    @Test func theKeysOfOneAddressCannotUseUpTheStorageOfAll() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) {
            $0.limits.storedPerAddress = .init(burst: 3_000, perSecond: 1)
            $0.proxies = [.loopback4]
        }
        let (hostile, other) = ("192.0.2.1", "192.0.2.2")
        for number in 1...3 {
            #expect(try await register("\(number)", by: .generate(), from: hostile, gateway) == 202)
        }
        for number in 4...6 {
            #expect(try await register("\(number)", by: .generate(), from: hostile, gateway) == 429)
        }
        #expect(try await register("a", by: alice, from: other, gateway) == 202)
        // What is known already takes no room, and what takes something away is done.
        #expect(try await register("a", by: alice, from: other, gateway) == 202)
        let removal: JSONValue = ["device_token": "a"]
        #expect(
            try await gateway.ask("POST", "/v1/devices/unregister", removal, by: alice, from(hostile)).status == 202
        )
        gateway.clock.advance(1_000)
        #expect(try await register("4", by: .generate(), from: hostile, gateway) == 202)
        #expect(try await register("5", by: .generate(), from: hostile, gateway) == 429)
        await gateway.service.stop()
    }

    @Test func requestsThatComeTogetherCannotHaveMoreThanTheShare() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let arrived = Locked(0)
        let answered = Locked<[Int]>([])
        let gate = Gate()
        let store = WatchedStore(
            try await SQLitePushStore(folder.database, now: clock.milliseconds),
            performing: {
                arrived.withLock { $0 += 1 }
                await gate.pass()
            }
        )
        let gateway = try await Gateway(folder, clock: clock, store: store) {
            $0.limits.storedPerAddress = .init(burst: 3_000, perSecond: 1)
            $0.proxies = [.loopback4]
        }
        let (hostile, other) = ("192.0.2.1", "192.0.2.2")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...10 {
                group.addTask {
                    let status = try await register("\(number)", by: .generate(), from: hostile, gateway)
                    answered.withLock { $0.append(status) }
                }
            }
            // None is stored until each is before the storage, or refused.
            let deadline = ContinuousClock.now + patience
            while arrived.withLock({ $0 }) + answered.withLock({ $0.count }) < 10, ContinuousClock.now < deadline {
                await Task.yield()
            }
            await gate.open()
            try await group.waitForAll()
        }
        #expect(answered.withLock { $0.sorted() } == Array(repeating: 202, count: 3) + Array(repeating: 429, count: 7))
        #expect(try await register("a", by: alice, from: other, gateway) == 202)
        clock.advance(1_000)
        #expect(try await register("b", by: .generate(), from: hostile, gateway) == 202)
        #expect(try await register("c", by: .generate(), from: hostile, gateway) == 429)
        await gateway.service.stop()
    }

    /// Lets nobody through until it is opened.
    private actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func pass() async {
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        }

        func open() {
            isOpen = true
            for one in waiting { one.resume() }
            waiting = []
        }
    }

    @Test func oneKeyCannotUseUpTheStorageOfAllFromManyAddresses() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) {
            $0.limits.storedPerAccount = .init(burst: 1_010, perSecond: 1)
            $0.proxies = [.loopback4]
        }
        let (bob, carol) = (KeyPair.generate(), KeyPair.generate())
        for number in 1...2 { #expect(try await register("\(number)", by: bob, from: "192.0.2.9", gateway) == 202) }
        #expect(try await register("a", by: alice, from: "192.0.2.1", gateway) == 202)
        func post(_ event: String, by key: KeyPair, from address: String) async throws -> Int {
            let body: JSONValue = [
                "notification_type": "new_post", "event_id": .string(event), "conversation_id": "S",
                "recipient_pubkeys": [.string(bob.publicKey.hex)],
            ]
            return try await gateway.ask("POST", "/v1/push", body, by: key, from(address)).status
        }
        // Ten are left: a recipient with two devices is three, and the last may be more than what is left.
        for number in 2...5 { #expect(try await post("e\(number)", by: alice, from: "192.0.2.\(number)") == 202) }
        #expect(try await post("e6", by: alice, from: "192.0.2.6") == 429)
        // What was told before costs nothing, but who owes waits all the same; others do not.
        #expect(try await post("e2", by: alice, from: "192.0.2.6") == 429)
        #expect(try await post("e6", by: carol, from: "192.0.2.6") == 202)
        var sessions = JSONObject()
        sessions["archived_conversation_ids"] = ["S"]
        let archive = gateway.request(
            "PUT",
            Self.archive,
            JSONValue.object(sessions).description,
            by: alice,
            from("192.0.2.6")
        )
        #expect(try await gateway.send(archive).status == 429)
        gateway.clock.advance(3_000)
        #expect(try await gateway.send(archive).status == 202)
        #expect(try await post("e7", by: alice, from: "192.0.2.6") == 429)
        await gateway.service.stop()
    }

    @Test func whoCannotSignIsBoundedTogetherAndWhoCanIsNotCounted() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) { $0.limits.unauthenticated = .init(burst: 2, perSecond: 1) }
        for token in 1...4 { #expect(try await gateway.register("\(token)", by: alice).status == 202) }
        let unsigned = gateway.raw("POST", "/v1/push", "")
        #expect(try await gateway.send(unsigned).status == 401)
        #expect(try await gateway.send(unsigned).status == 401)
        #expect(try await gateway.send(unsigned).status == 429)
        gateway.clock.advance(1000)
        #expect(try await gateway.register("5", by: alice).status == 202)
        await gateway.service.stop()
    }

    @Test func metricsAreServedWhereTheyAreWanted() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder) { $0.metricsAddress = .ip(.loopback4, port: 0) }
        #expect(try await gateway.register("t", by: alice).status == 202)
        let text = gateway.service.metrics.text(PushCounts(accounts: 1, devices: 2, jobs: 3, bytes: 4096))
        #expect(text.contains("linkstr_push_requests_total{status=\"202\"} 1\n"))
        #expect(text.contains("linkstr_push_devices 2\n"))
        #expect(gateway.service.metricsAddress?.port != nil)
        await gateway.service.stop()
    }
}

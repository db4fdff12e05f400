import APNs
import LinkstrPush
import Locking
import NostrCrypto
import NostrEvents
import Testing

@Suite struct QueueTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()
    private let carol = KeyPair.generate()

    @Test func aPostIsBroughtOnceToEachDeviceOfEachRecipientButTheSender() async throws {
        let folder = try Folder()
        let sender = ScriptedSender()
        let gateway = try await Gateway(folder, sender: sender)
        try await gateway.register("a1", by: alice)
        try await gateway.register("b1", by: bob)
        try await gateway.register("b2", by: bob)
        #expect(try await gateway.post("e", to: [alice, bob, carol], by: alice) == .accepted(1, 2))
        await sender.wait(for: 2)
        #expect(try await gateway.post("e", to: [alice, bob, carol], by: alice) == .accepted(0, 0))
        // Somebody who had no device may still be told when he has one.
        try await gateway.register("c1", by: carol)
        #expect(try await gateway.post("e", to: [alice, bob, carol], by: alice) == .accepted(1, 1))
        await sender.wait(for: 3)
        #expect(Set(sender.sent.map(\.token)) == ["b1", "b2", "c1"])
        #expect(try await eventually { gateway.service.metrics.values.delivered == 3 })
        await gateway.service.stop()
        let store = try await SQLitePushStore(folder.database, now: gateway.clock.milliseconds)
        let counts = try await store.counts()
        #expect(counts == PushCounts(accounts: 3, devices: 4, jobs: 0, bytes: counts.bytes))
        await store.close()
    }

    @Test func aReactionOfTheSameEventIsToldBesideThePostAndAfterThirtyDaysEverythingAgain() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        try await gateway.register("b", by: bob)
        func ask(_ type: JSONValue) async throws -> Gateway.Answer {
            let body: JSONValue = [
                "notification_type": type, "event_id": "e", "conversation_id": "S", "emoji": "👍",
                "recipient_pubkeys": [.string(bob.publicKey.hex)],
            ]
            return try await gateway.ask("POST", "/v1/push", body, by: alice)
        }
        #expect(try await ask("new_post") == .accepted(1, 1))
        #expect(try await ask("new_emoji_reaction") == .accepted(1, 1))
        #expect(try await ask("new_post") == .accepted(0, 0))
        gateway.clock.advance(30 * 86_400_000)
        #expect(try await ask("new_post") == .accepted(0, 0))
        gateway.clock.advance(1)
        #expect(try await ask("new_post") == .accepted(1, 1))
        await gateway.service.stop()
    }

    @Test func notificationsSayWhatTheProtocolWants() throws {
        var body: JSONValue = [
            "notification_type": "new_emoji_reaction", "event_id": "e1", "conversation_id": "S", "emoji": "👍",
            "post_id": "p", "recipient_pubkeys": ["x"],
        ]
        let reaction = try PushNotification(PushRequest(json: body.json), isPrivate: false)
        #expect(reaction.collapseID == "e1")
        #expect(
            try JSONValue(json: reaction.payload) == [
                "aps": [
                    "alert": ["title": "New reaction 👍 in linkstr", "body": "Open linkstr to see it."],
                    "sound": "default", "thread-id": "S",
                ], "type": "new_emoji_reaction", "event_id": "e1", "conversation_id": "S", "emoji": "👍", "post_id": "p",
            ]
        )
        var object = try #require(body.object)
        object["notification_type"] = "new_post"
        object["emoji"] = nil
        body = .object(object)
        let post = try PushNotification(PushRequest(json: body.json), isPrivate: false)
        #expect(
            try JSONValue(json: post.payload) == [
                "aps": [
                    "alert": ["title": "New post in linkstr", "body": "Open linkstr to see it."], "sound": "default",
                    "thread-id": "S",
                ], "type": "new_post", "event_id": "e1", "conversation_id": "S",
            ]
        )
    }

    @Test func inPrivacyModePostsAndReactionsLookAlikeAndTellNoIDs() throws {
        func notification(_ type: JSONValue, _ event: JSONValue) throws -> PushNotification {
            let body: JSONValue = [
                "notification_type": type, "event_id": event, "conversation_id": "SESSION", "emoji": "👍",
                "post_id": "POST", "recipient_pubkeys": ["x"],
            ]
            return try PushNotification(PushRequest(json: body.json), isPrivate: true)
        }
        let post = try notification("new_post", "EVENT1")
        let reaction = try notification("new_emoji_reaction", "EVENT2")
        #expect(post.payload == reaction.payload)
        #expect(post.collapseID != reaction.collapseID)
        #expect(try notification("new_post", "EVENT1").collapseID == post.collapseID)
        let text = post.collapseID + String(decoding: post.payload, as: UTF8.self)
        for secret in ["SESSION", "POST", "EVENT", "👍"] { #expect(!text.contains(secret)) }
        #expect(post.collapseID.utf8.count <= 64)
    }

    @Test func aFailedNotificationWaitsLongerEachTimeAndOthersDoNotWait() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let times = Locked<[Int64]>([])
        let sender = ScriptedSender { sent, _ in
            guard sent.token == "bad" else { return .delivered }
            times.withLock { $0.append(clock.milliseconds) }
            return .failed(reason: "test")
        }
        let gateway = try await Gateway(folder, sender: sender, clock: clock)
        try await gateway.register("bad", by: bob)
        try await gateway.register("good", by: bob)
        #expect(try await gateway.post("e", to: [bob], by: alice) == .accepted(1, 2))
        #expect(try await eventually { gateway.service.metrics.values.delivered == 1 })
        let delays: [Int64] = [2, 4, 8, 16, 32, 60, 60]
        for (index, delay) in delays.enumerated() {
            #expect(try await eventually { gateway.service.metrics.values.failed == index + 1 })
            clock.advance(delay * 1000 - 1)
            try await Task.sleep(for: .milliseconds(10))
            #expect(times.withLock { $0.count } == index + 1)
            clock.advance(1)
        }
        #expect(try await eventually { times.withLock { $0.count } == delays.count + 1 })
        let gaps = times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } }
        #expect(gaps == delays.map { $0 * 1000 })
        // Beyond its time it is dropped.
        clock.advance(900_000)
        #expect(try await eventually { gateway.service.metrics.values.expired == 1 })
        #expect(times.withLock { $0.count } == delays.count + 1)
        await gateway.service.stop()
    }

    @Test func timeToSendAndExpirationFollowTheJob() async throws {
        let folder = try Folder()
        let clock = HeldClock()
        let sender = ScriptedSender { _, count in count == 0 ? .failed(reason: "test") : .delivered }
        let gateway = try await Gateway(folder, sender: sender, clock: clock)
        try await gateway.register("b", by: bob)
        let start = clock.milliseconds
        try await gateway.post("e", to: [bob], by: alice)
        #expect(try await eventually { gateway.service.metrics.values.failed == 1 })
        clock.advance(895_000)
        await sender.wait(for: 2)
        #expect(sender.sent.map(\.expiration) == [start / 1000 + 900, start / 1000 + 900])
        #expect(sender.sent.map(\.time) == [.seconds(10), .seconds(5)])
        await gateway.service.stop()
    }

    @Test func aDeviceThatIsGoneIsForgottenWithItsJobsUnlessItCameBackMeanwhile() async throws {
        let folder = try Folder()
        let gate = Gate()
        let sender = ScriptedSender { sent, _ in
            await gate.wait()
            return sent.token == "gone" ? .deviceGone : .delivered
        }
        let gateway = try await Gateway(folder, sender: sender)
        try await gateway.register("gone", by: bob)
        try await gateway.register("stays", by: bob)
        try await gateway.post("e1", to: [bob], by: alice)
        await sender.wait(for: 2)
        gate.open()
        #expect(try await eventually { gateway.service.metrics.values.devicesGone == 1 })
        #expect(
            try await eventually {
                try await gateway.post("e\(Int.random(in: 0..<Int.max))", to: [bob], by: alice) == .accepted(1, 1)
            }
        )
        await gateway.service.stop()

        let second = try Folder()
        let closed = Gate()
        let slow = ScriptedSender { _, count in
            await closed.wait()
            return count == 0 ? .deviceGone : .delivered
        }
        let other = try await Gateway(second, sender: slow)
        try await other.register("gone", by: bob)
        try await other.post("e1", to: [bob], by: alice)
        await slow.wait(for: 1)
        try await other.register("gone", "production", by: bob)
        closed.open()
        #expect(try await eventually { other.service.metrics.values.devicesGone == 1 })
        #expect(try await other.post("e2", to: [bob], by: alice) == .accepted(1, 1))
        await other.service.stop()
    }

    @Test func whatIsBeingSentWhenTheGatewayStopsIsSentAfterTheNextStart() async throws {
        let folder = try Folder()
        let sender = ScriptedSender { _, _ in
            try? await Task.sleep(for: patience)
            return Task.isCancelled ? .interrupted : .delivered
        }
        let gateway = try await Gateway(folder, sender: sender)
        try await gateway.register("b", by: bob)
        try await gateway.post("e", to: [bob], by: alice)
        await sender.wait(for: 1)
        await gateway.service.stop()
        let next = ScriptedSender()
        let second = try await Gateway(folder, sender: next, clock: gateway.clock)
        await next.wait(for: 1)
        #expect(next.sent.map(\.notification) == sender.sent.map(\.notification))
        #expect(second.service.metrics.values.reclaimed == 0)
        await second.service.stop()
    }
}

/// Holds everybody until it is opened.
final class Gate: Sendable {
    private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

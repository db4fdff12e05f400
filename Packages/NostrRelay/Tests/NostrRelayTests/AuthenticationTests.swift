import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import Testing

@Suite struct AuthenticationTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()

    private func options(_ authentication: RelayOptions.Authentication) -> RelayOptions {
        var options = RelayOptions()
        options.authentication = authentication
        return options
    }

    @Test(
        arguments: [([], true, true), (.read, false, true), (.write, true, false), ([.read, .write], false, false)]
            as [(RelayOptions.Authentication, Bool, Bool)]
    )
    func whatNeedsAuthenticationIsRefusedBeforeItAndDoneAfter(
        authentication: RelayOptions.Authentication,
        mayRead: Bool,
        mayWrite: Bool
    ) async throws {
        try await withRelay(options(authentication)) { relay, _ in
            let client = try await TestClient(relay)
            let challenge = authentication.isEmpty ? "" : try await client.challenge()
            let written = try await client.publish(note("1", by: alice))
            #expect(written.accepted == mayWrite)
            #expect(written.status.hasPrefix("auth-required: ") == !mayWrite)
            let isRead: Bool
            do {
                _ = try await client.fetch(Filter())
                isRead = true
            } catch let failure as TestClient.Failure {
                #expect(failure.description.hasPrefix("auth-required: "))
                isRead = false
            }
            #expect(isRead == mayRead)
            guard !authentication.isEmpty else { return }
            #expect(try await client.authenticate(bob, challenge, relay) == (true, ""))
            #expect(try await client.publish(note("2", by: alice)).accepted)
            #expect(try await client.fetch(Filter()).count == (mayWrite ? 2 : 1))
        }
    }

    @Test func aWrongChallengeOrTimeOrRelayAuthenticatesNobody() async throws {
        try await withRelay(options(.write)) { relay, _ in
            let client = try await TestClient(relay)
            let challenge = try await client.challenge()
            let other = try await TestClient(relay).challenge()
            #expect(other != challenge)
            let wrong = try await client.authenticate(alice, other, relay)
            #expect(wrong == (false, "invalid: The authentication event answers another challenge."))
            let late = try await client.authenticate(alice, challenge, relay, at: 1_700_000_000)
            #expect(late == (false, "invalid: The authentication event is too old or too new; check the clock."))
            let stranger = RelayAuthentication.event(
                challenge: challenge,
                relay: try RelayURL("wss://other.example"),
                createdAt: StoreClock.seconds(),
                signedBy: alice
            )
            try await client.send(.authenticate(stranger.wire))
            let elsewhere = try await client.ok(stranger.id)
            #expect(elsewhere == (false, "invalid: The authentication event is for another relay."))
            #expect(try await !client.publish(note("no", by: alice)).accepted)
            #expect(try await client.authenticate(alice, challenge, relay).accepted)
            #expect(try await client.publish(note("yes", by: alice)).accepted)
        }
    }

    @Test func anAuthenticationEventIsNeverStored() async throws {
        try await withRelay { relay, store in
            let client = try await TestClient(relay)
            let event = note("", by: alice, kind: .clientAuthentication)
            #expect(try await client.publish(event).status.hasPrefix("invalid: "))
            #expect(try await store.count(matching: [Filter()]) == 0)
        }
    }

    @Test func severalKeysCanBeAuthenticatedAndEachMayPublishItsProtectedEvents() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let mine = note("members only", by: alice, tags: [Protection.tag])
            try await client.send(.event(mine.wire))
            let challenge = try await client.challenge()
            #expect(try await client.ok(mine.id).status.hasPrefix("auth-required: "))
            #expect(try await client.authenticate(bob, challenge, relay).accepted)
            #expect(try await client.publish(mine).status.hasPrefix("restricted: "))
            #expect(try await client.authenticate(alice, challenge, relay).accepted)
            #expect(try await client.publish(mine) == (true, ""))
            #expect(try await client.publish(note("his", by: bob, tags: [Protection.tag])).accepted)
            let embedding = note(String(decoding: mine.json, as: UTF8.self), by: bob, kind: .repost)
            #expect(try await client.publish(embedding).status.hasPrefix("blocked: "))
        }
    }

    // MARK: Gift wraps

    private func wrap(for keys: KeyPair, _ text: String) -> Event {
        note(text, by: .generate(), kind: .giftWrap, tags: [Tag("p", keys.publicKey.bytes.hex)])
    }

    @Test func giftWrapsAreGivenToTheirAuthenticatedAddresseeAlone() async throws {
        var options = RelayOptions()
        options.protectsGiftWraps = true
        try await withRelay(options) { relay, store in
            let (toAlice, toBob) = (wrap(for: alice, "a"), wrap(for: bob, "b"))
            let public1 = note("public", by: bob)
            _ = try await store.ingest([toAlice, toBob, public1])
            let client = try await TestClient(relay)
            let challenge = try await client.challenge()
            #expect(try await client.fetch(Filter()) == [public1.id])
            #expect(try await client.fetch(Filter(ids: [toAlice.id])) == [])
            await #expect(throws: TestClient.Failure.self) { try await client.fetch(Filter(kinds: [.giftWrap])) }
            #expect(try await client.authenticate(alice, challenge, relay).accepted)
            #expect(try await client.fetch(Filter(kinds: [.giftWrap])) == [toAlice.id])
            #expect(try await client.fetch(Filter(ids: [toAlice.id])) == [toAlice.id])
            #expect(Set(try await client.fetch(Filter(kinds: [.giftWrap, .textNote]))) == [toAlice.id, public1.id])
            var others = Filter(kinds: [.giftWrap])
            others.tags[.p] = [bob.publicKey.bytes.hex]
            await #expect(throws: TestClient.Failure.self) { try await client.fetch(others) }
            #expect(try await client.fetch(Filter(ids: [toBob.id])) == [])
            let id = try SubscriptionID("count")
            try await client.send(.count(id, [Filter()]))
            guard case .count(id, let count) = try await client.next() else {
                Issue.record("no count came")
                return
            }
            #expect(count.count == 2)
        }
    }

    @Test func aNewGiftWrapReachesItsAddresseeAloneAndOnlyWhileAuthenticated() async throws {
        var options = RelayOptions()
        options.protectsGiftWraps = true
        try await withRelay(options) { relay, _ in
            let (reader, stranger) = (try await TestClient(relay), try await TestClient(relay))
            let writer = try await TestClient(relay)
            let challenge = try await reader.challenge()
            #expect(try await reader.authenticate(alice, challenge, relay).accepted)
            for client in [reader, stranger] {
                _ = try await client.stored([Filter(since: 1)], named: "live", closes: false)
            }
            let event = wrap(for: alice, "secret")
            let after = note("after", by: bob)
            #expect(try await writer.publish(event).accepted)
            #expect(try await writer.publish(after).accepted)
            for (client, expected) in [(reader, [event.id, after.id]), (stranger, [after.id])] {
                for id in expected {
                    guard case .event(_, let received) = try await client.next() else {
                        Issue.record("no event came")
                        return
                    }
                    #expect(received.id == id)
                }
            }
        }
    }

    @Test func theAddresseeCanDeleteAGiftWrap() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let event = wrap(for: alice, "secret")
            try await client.publish(event)
            try await client.publish(note("", by: bob, kind: .deletion, tags: [Tag("e", event.id.hex)]))
            #expect(try await client.fetch(Filter(kinds: [.giftWrap])) == [event.id])
            try await client.publish(note("", by: alice, kind: .deletion, tags: [Tag("e", event.id.hex)]))
            #expect(try await client.fetch(Filter(kinds: [.giftWrap])) == [])
            #expect(try await client.publish(event).status.hasPrefix("blocked: "))
        }
    }
}

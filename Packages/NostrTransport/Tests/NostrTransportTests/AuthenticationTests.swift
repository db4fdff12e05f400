import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Locking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AuthenticationTests {
    let filter = Filter(kinds: [.textNote])
    let note = Sample.notes(1)[0]

    private func rig(_ authenticator: RelayAuthenticator?) async throws -> Rig {
        let rig = try Rig(Sample.notes(3)) { $0.authenticator = authenticator }
        let url = rig.url
        await rig.relay.change { relay in
            relay.requiresAuthentication = true
            relay.url = url
        }
        await rig.relay.greet { $0.challenge($1) }
        return rig
    }

    private static func answers(_ relay: ScriptedRelay) async -> [WireEvent] {
        await relay.received.compactMap { if case .authenticate(let event) = $0 { event } else { nil } }
    }

    @Test func aRefusedRequestIsAnsweredAfterAuthenticating() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        let result = await rig.pool.fetch([filter], from: [rig.url])
        #expect(result.events.count == 3)
        #expect(await rig.pool.connection(to: rig.url)?.authenticatedKeys == [Sample.keys.publicKey.bytes])
        #expect(rig.pool.statuses[rig.url]?.state == .connected)
        await rig.pool.shutDown()
    }

    @Test func aRefusedEventIsTakenAfterAuthenticating() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        #expect(await rig.pool.publish(note, to: [rig.url]).isAccepted)
        await rig.pool.shutDown()
    }

    @Test func countsWaitForAuthenticationToo() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        #expect(try await rig.pool.add(rig.url).count([filter]).count == 3)
        await rig.pool.shutDown()
    }

    @Test func withoutAnAuthenticatorTheRefusalIsReportedAndTheRelayIsReadOnly() async throws {
        let rig = try await rig(nil)
        let status = StatusMessage(.authenticationRequired, "who are you?")
        #expect(await rig.pool.fetch([filter], from: [rig.url]).failures == [rig.url: .refused(status)])
        #expect(await rig.pool.publish(note, to: [rig.url])[note.id][rig.url] == .rejected(status))
        #expect(rig.pool.statuses[rig.url]?.state == .readOnly(status.text))
        #expect(await Self.answers(rig.relay).isEmpty)
        await rig.pool.shutDown()
    }

    @Test func severalKeysAuthenticateOnOneConnection() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys, Sample.others], onlyWhenRequired: false))
        _ = rig.pool.add(rig.url)
        await rig.relay.until { relay in relay.received.count == 2 }
        while await rig.pool.connection(to: rig.url)?.authenticatedKeys.count != 2 { await Task.yield() }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        await rig.pool.shutDown()
    }

    @Test func aBareChallengeIsNotAnsweredUnlessAsked() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.change { $0.requiresAuthentication = false }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        #expect(await Self.answers(rig.relay).isEmpty)
        await rig.pool.shutDown()
    }

    @Test func thePolicyMayKeepARelayFromKnowing() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]) { _ in false })
        guard case .refused = await rig.pool.fetch([filter], from: [rig.url]).failures[rig.url] else {
            Issue.record("the relay did not refuse")
            return
        }
        #expect(await Self.answers(rig.relay).isEmpty)
        await rig.pool.shutDown()
    }

    @Test func anAnswerThatNamesAnotherRelayOrChallengeIsNeverSent() async throws {
        let bank = try RelayURL("wss://bank.example")
        let rig = try await rig(
            RelayAuthenticator { request in
                if request.occasion == .offered { return [] }
                return [
                    RelayAuthentication.event(
                        challenge: request.challenge,
                        relay: bank,
                        createdAt: request.now,
                        signedBy: Sample.keys
                    ),
                    RelayAuthentication.event(
                        challenge: "another",
                        relay: request.relay,
                        createdAt: request.now,
                        signedBy: Sample.keys
                    ),
                ]
            }
        )
        let result = await rig.pool.fetch([filter], from: [rig.url])
        #expect(result.failures[rig.url] != nil)
        #expect(await Self.answers(rig.relay).isEmpty)
        #expect(await rig.statistics()?.withheldAnswers == 2)
        await rig.pool.shutDown()
    }

    @Test func theAnswerNamesTheRelayThatIsConnectedToWhateverTheChallengeSays() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.greet { $0.challenge($1, "wss://bank.example") }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        let answer = try #require(await Self.answers(rig.relay).first)
        #expect(answer.tags.firstValue(named: "relay") == rig.url.text)
        await rig.pool.shutDown()
    }

    @Test func aRelayThatRefusesTheAnswerIsReadOnly() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.follow { relay, session, message in
            guard case .authenticate(let event) = message else { return relay.honest(session, message) }
            return [.send(.ok(event.id, accepted: false, StatusMessage(.restricted, "members only")))]
        }
        let result = await rig.pool.fetch([filter], from: [rig.url])
        #expect(result.failures == [rig.url: .refused(StatusMessage(.restricted, "members only"))])
        #expect(rig.pool.statuses[rig.url]?.state == .readOnly("restricted: members only"))
        await rig.pool.shutDown()
    }

    @Test func aChallengeThatComesAfterTheRefusalIsWaitedFor() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.greet { _, _ in [] }
        await rig.relay.follow { relay, session, message in
            let honest = relay.honest(session, message)
            guard case .request = message, session.count("REQ") == 1 else { return honest }
            return honest + [.wait(.seconds(3))] + relay.challenge(session)
        }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.relay.until { !$0.received.isEmpty }
        await rig.loop.advance(by: .seconds(3))
        #expect(await fetched.events.count == 3)
        await pool.shutDown()
    }

    @Test func aChallengeThatNeverComesEndsTheWait() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.greet { _, _ in [] }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.relay.until { !$0.received.isEmpty }
        let connection = try #require(pool.connection(to: url))
        while await connection.status.statistics.messages == 0 { await Task.yield() }
        await rig.loop.advance(by: .seconds(15))
        #expect(await fetched.failures[url] == .refused(StatusMessage(.authenticationRequired, "who are you?")))
        await pool.shutDown()
    }

    @Test func challengesWithoutEndAreAnsweredABoundedNumberOfTimes() async throws {
        let asked = Locked(0)
        let rig = try await rig(
            RelayAuthenticator { request in
                asked.withLock { $0 += 1 }
                return [request.answer(signedBy: Sample.keys)]
            }
        )
        await rig.relay.follow { relay, session, message in
            guard case .authenticate = message else { return relay.honest(session, message) }
            return relay.honest(session, message) + relay.challenge(session, "again \(session.count("AUTH"))")
        }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        await rig.relay.until { relay in
            relay.received.count { if case .authenticate = $0 { true } else { false } } >= 16
        }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        #expect(asked.withLock { $0 } == 16)
        await rig.pool.shutDown()
    }

    @Test func aRefusalFromAConnectionThatEndedMeanwhileDoesNotEndALiveSubscription() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message, session.number == 1 else {
                return relay.honest(session, message)
            }
            // The events keep the refusal behind them in line while the connection goes.
            let events = relay.events.map { Action.send(.event(name, $0.wire)) }
            return events + relay.honest(session, message) + [.halfClose]
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { !$0.interruptions.isEmpty || !$0.closures.isEmpty }
        #expect(reader.told.closures.isEmpty)
        await rig.until { if case .failed = $0 { true } else { false } }
        await rig.loop.advance(by: .seconds(1))
        await reader.read { $0.pages.count == 1 || !$0.closures.isEmpty }
        #expect(reader.told.closures.isEmpty)
        #expect(reader.told.events.count == 3)
        await rig.pool.shutDown()
    }

    @Test func aLiveSubscriptionIsMadeAgainAfterAuthenticating() async throws {
        let rig = try await rig(RelayAuthenticator(keys: [Sample.keys]))
        await rig.relay.greet { _, _ in [] }
        // A relay that leaves out what it does not show to strangers, instead of refusing.
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message, session.keys.isEmpty else {
                return relay.honest(session, message)
            }
            return [.send(.endOfStoredEvents(name, []))]
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { $0.pages.count == 1 }
        await rig.relay.greet { $0.challenge($1) }
        await rig.relay.change { _ in }
        #expect(reader.told.order == "s")
        await rig.relay.dropAll()
        await reader.read { $0.interruptions.count == 1 }
        await rig.until { if case .failed = $0 { true } else { false } }
        await rig.loop.advance(by: .seconds(1))
        #expect(await rig.pool.publish(note, to: [rig.url]).isAccepted)
        await reader.read { $0.events.count == 3 }
        #expect(reader.told.interruptions.last == .some(nil))
        await rig.pool.shutDown()
    }
}

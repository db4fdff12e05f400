import Locking
import NostrCrypto
import NostrEvents
import Testing

@testable import NostrRelay

@Suite struct PolicyTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()
    private let client = RelayClient(id: 1)

    private func isTaken(_ event: Event, _ policy: some RelayPolicy, from client: RelayClient? = nil) -> String {
        let client = client ?? self.client
        for decision in [policy.screen(event.wire, from: client), policy.accept(event, from: client)] {
            if case .refuse(let status) = decision { return status.prefix?.rawValue ?? "" }
        }
        return "taken"
    }

    @Test func kinds() {
        #expect(isTaken(note("", by: alice, kind: 1), KindPolicy(only: [1, 2])) == "taken")
        #expect(isTaken(note("", by: alice, kind: 3), KindPolicy(only: [1, 2])) == "blocked")
        #expect(isTaken(note("", by: alice, kind: 3), KindPolicy(allBut: [1, 2])) == "taken")
        #expect(isTaken(note("", by: alice, kind: 2), KindPolicy(allBut: [1, 2])) == "blocked")
    }

    @Test func authorsAndWhatIsWrappedForThem() {
        let policy = AuthorPolicy(only: [alice.publicKey.bytes])
        let tag = Tag("p", alice.publicKey.bytes.hex)
        #expect(isTaken(note("", by: alice), policy) == "taken")
        #expect(isTaken(note("", by: bob, tags: [tag]), policy) == "restricted")
        #expect(isTaken(note("", by: bob, kind: .giftWrap, tags: [tag]), policy) == "taken")
        #expect(isTaken(note("", by: bob, kind: .giftWrap), policy) == "restricted")
        #expect(isTaken(note("", by: bob, kind: .requestToVanish), policy) == "taken")
    }

    @Test func members() {
        let policy = MemberPolicy([alice.publicKey.bytes])
        let member = RelayClient(id: 2, authenticated: [bob.publicKey.bytes, alice.publicKey.bytes])
        let stranger = RelayClient(id: 3, authenticated: [bob.publicKey.bytes])
        #expect(isTaken(note("", by: bob), policy) == "auth-required")
        #expect(isTaken(note("", by: bob), policy, from: stranger) == "restricted")
        #expect(isTaken(note("", by: bob), policy, from: member) == "taken")
        #expect(policy.answer([Filter()], to: member) == .accept)
        #expect(policy.answer([Filter()], to: client) != .accept)
        #expect(MemberPolicy([], mayOthersRead: true).answer([Filter()], to: client) == .accept)
    }

    @Test(
        arguments: [
            (100, "invalid"), (899, "invalid"), (900, "taken"), (1_000, "taken"), (1_050, "taken"), (1_051, "invalid"),
            (9_007_199_254_740_991, "invalid"),
        ] as [(Int64, String)]
    )
    func times(time: Int64, expected: String) {
        let policy = TimePolicy(past: 100, future: 50) { 1_000 }
        #expect(isTaken(note("", by: alice, at: time), policy) == expected)
        #expect(isTaken(note("", by: alice, at: time), TimePolicy(past: nil, future: nil) { 1_000 }) == "taken")
    }

    @Test func work() async throws {
        #expect(isTaken(note("", by: alice), WorkPolicy(minimum: 0)) == "taken")
        #expect(isTaken(note("", by: alice), WorkPolicy(minimum: 60)) == "pow")
        var number = 0
        func mined(_ target: String) -> Event {
            while true {
                number += 1
                let event = note("", by: alice, tags: [Tag("nonce", "\(number)", target)])
                if ProofOfWork.difficulty(of: event.id) >= 6 { return event }
            }
        }
        #expect(isTaken(mined("6"), WorkPolicy(minimum: 6)) == "taken")
        #expect(isTaken(mined("3"), WorkPolicy(minimum: 6)) == "pow")
    }

    @Test func ratesHaveABurstAndFillAgain() {
        let clock = Locked(ContinuousClock.now)
        let policy = RatePolicy(per: .author, perSecond: 2, burst: 3) { clock.withLock { $0 } }
        func publish(_ count: Int, by keys: KeyPair) -> Int {
            (0..<count).count { _ in isTaken(note("", by: keys), policy) == "taken" }
        }
        #expect(publish(5, by: alice) == 3)
        #expect(publish(5, by: bob) == 3)
        clock.withLock { $0 += .seconds(1) }
        #expect(publish(5, by: alice) == 2)
        #expect(isTaken(note("", by: alice), policy) == "rate-limited")
        clock.withLock { $0 += .seconds(1_000) }
        #expect(publish(5, by: alice) == 3)
    }

    @Test func ratesByConnectionAreForgottenWithIt() {
        let policy = RatePolicy(per: .connection, perSecond: 0, burst: 1)
        #expect(isTaken(note("", by: alice), policy) == "taken")
        #expect(isTaken(note("", by: alice), policy) == "rate-limited")
        #expect(isTaken(note("", by: alice), policy, from: RelayClient(id: 9)) == "taken")
        policy.disconnected(client)
        #expect(isTaken(note("", by: alice), policy) == "taken")
    }

    @Test func theFirstPolicyThatRefusesDecides() async throws {
        let policies: [any RelayPolicy] = [KindPolicy(only: [1]), RatePolicy(per: .author, perSecond: 0, burst: 2)]
        try await withRelay(policies: policies) { relay, _ in
            let client = try await TestClient(relay)
            #expect(try await client.publish(note("1", by: alice)).accepted)
            #expect(try await client.publish(note("x", by: alice, kind: 7)).status.hasPrefix("blocked: "))
            #expect(try await client.publish(note("2", by: alice)).accepted)
            #expect(try await client.publish(note("3", by: alice)).status.hasPrefix("rate-limited: "))
        }
    }
}

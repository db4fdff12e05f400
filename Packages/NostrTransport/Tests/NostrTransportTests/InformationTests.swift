import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Locking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InformationTests {
    @Test func aDocumentIsReadWithWhatIsWrongInItLeftOut() throws {
        let information = try RelayInformation(
            json: Array(
                """
                {"name":"r","description":5,"pubkey":"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
                "self":"XY","supported_nips":[11,1,"7",1,-3,1e3],"software":"s","version":"1","unknown":{"a":[]},
                "limitation":{"max_message_length":16384,"max_subscriptions":-1,"max_limit":0,"max_subid_length":"x",
                "auth_required":true,"payment_required":1,"default_limit":500}}
                """.utf8
            )
        )
        #expect(information.name == "r")
        #expect(information.description == nil)
        #expect(information.pubkey?.hex.hasPrefix("79be") == true)
        #expect(information.ownKey == nil)
        #expect(information.supportedNIPs.contains(1) && information.supportedNIPs.contains(11))
        #expect(information.supports(1) && !information.supports(7))
        #expect(information.limits.messageBytes == 16_384)
        #expect(information.limits.subscriptions == nil)
        #expect(information.limits.filterLimit == nil)
        #expect(information.limits.subscriptionIDLength == nil)
        #expect(information.limits.defaultLimit == 500)
        #expect(information.limits.requiresAuthentication)
        #expect(!information.limits.requiresPayment)
    }

    @Test(arguments: ["", "[]", "null", "{", "<html>"])
    func whatIsNoObjectIsRefused(_ text: String) {
        #expect(throws: EventError.self) { try RelayInformation(json: Array(text.utf8)) }
    }

    @Test func answersAreRememberedForAWhileAndFailuresForLess() async throws {
        let loop = try EventLoop()
        let clock = Locked(ContinuousClock.now)
        let cache = RelayInformationCache { clock.withLock { $0 } }
        let relay = ScriptedRelay(on: loop)
        let url = try await relay.listen()
        #expect(try await cache.information(of: url).name == "scripted")
        await relay.change { $0.information = #"{"name":"new"}"# }
        #expect(try await cache.information(of: url).name == "scripted")
        clock.withLock { $0 += .seconds(3_600) }
        #expect(try await cache.information(of: url).name == "new")
        await relay.change { $0.information = "broken" }
        clock.withLock { $0 += .seconds(3_600) }
        await #expect(throws: TransportError.badAnswer) { try await cache.information(of: url) }
        await relay.change { $0.information = #"{"name":"back"}"# }
        await #expect(throws: TransportError.badAnswer) { try await cache.information(of: url) }
        clock.withLock { $0 += .seconds(60) }
        #expect(try await cache.information(of: url).name == "back")
        await relay.stopListening()
    }

    @Test func aServerThatIsNotThereIsAnErrorThatSaysSo() async throws {
        let loop = try EventLoop()
        let relay = ScriptedRelay(on: loop)
        let url = try await relay.listen()
        await relay.stopListening()
        let result = await RelayInformationCache.fetch(url)
        guard case .failure(.information) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

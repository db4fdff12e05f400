import Foundation
import LinkstrPush
import NostrCrypto
import NostrEvents
import Testing

@Suite struct AuthenticationTests {
    private let alice = KeyPair.generate()
    private let registration: JSONValue = ["device_token": "abc", "apns_environment": "sandbox"]

    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let make: @Sendable () -> Gateway.Difference

        init(_ name: String, _ status: Int, _ change: @escaping @Sendable (inout Gateway.Difference) -> Void) {
            testDescription = name
            self.status = status
            make = {
                var difference = Gateway.Difference()
                change(&difference)
                return difference
            }
        }
    }

    private static let cases: [Case] = [
        Case("a right request", 202) { _ in },
        Case("no header", 401) { $0.header = { _ in nil } },
        Case("another scheme", 401) { $0.header = { $0.replacingOccurrences(of: "Nostr", with: "Bearer") } },
        Case("no base64", 401) { $0.header = { _ in "Nostr ***" } },
        Case("no event", 401) { $0.header = { _ in "Nostr e30=" } },
        Case("two headers", 401) { $0.header = { "\($0)\r\nAuthorization: \($0)" } },
        Case("another kind", 401) { $0.kind = Kind(1) },
        Case("another method", 401) { $0.method = "PUT" },
        Case("the method in lower case", 401) { $0.method = "post" },
        Case("another path", 401) { $0.path = "/v1/devices/unregister" },
        Case("a path with a query", 401) { $0.path = "/v1/devices/register?a" },
        Case("another hash", 401) { $0.hash = SHA256.hash("").hex },
        Case("the hash in upper case", 401) {
            $0.hash = SHA256.hash(#"{"device_token":"abc","apns_environment":"sandbox"}"#).hex.uppercased()
        },
        Case("a body changed after signing", 401) {
            $0.sentBody = #"{"device_token":"abd","apns_environment":"sandbox"}"#
        },
        Case("no nonce", 401) { $0.nonce = nil },
        Case("a blank nonce", 401) { $0.nonce = " \t" },
        Case("a tag without a value before the right one", 202) { $0.tags = [Tag("method"), Tag("nonce")] },
        Case("another method before the right one", 401) { $0.tags = [Tag("method", "GET")] },
        Case("300 seconds old", 202) { $0.age = 300 },
        Case("301 seconds old", 401) { $0.age = 301 },
        Case("299 seconds ahead", 202) { $0.age = -299 },
        Case("300 seconds ahead", 202) { $0.age = -300 },
        Case("301 seconds ahead", 401) { $0.age = -301 },
        Case("a time beyond all", 401) { $0.age = -(Int64.max - 1_800_000_000) },
        Case("a wrong signature", 401) {
            $0.header = { header in
                guard let json = try? Base64.decode(String(header.dropFirst(6))) else { return nil }
                var text = String(decoding: json, as: UTF8.self)
                guard let signature = text.range(of: #""sig":"[0-9a-f]{128}"#, options: .regularExpression) else {
                    return nil
                }
                text.replaceSubrange(signature, with: #""sig":""# + String(repeating: "1", count: 128))
                return "Nostr " + Base64.encode(Array(text.utf8))
            }
        },
        Case("an id that is not the hash", 401) {
            $0.header = { header in
                guard let json = try? Base64.decode(String(header.dropFirst(6))) else { return nil }
                var text = String(decoding: json, as: UTF8.self)
                guard let id = text.range(of: #""id":"[0-9a-f]{64}"#, options: .regularExpression) else { return nil }
                text.replaceSubrange(id, with: #""id":""# + String(repeating: "1", count: 64))
                return "Nostr " + Base64.encode(Array(text.utf8))
            }
        },
    ]

    @Test(arguments: cases)
    private func onlyWhatIsSignedAsItMustBeIsDone(_ one: Case) async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        let answer = try await gateway.ask("POST", "/v1/devices/register", registration, by: alice, one.make())
        #expect(answer.status == one.status)
        // The control shows that the difference and nothing else made it.
        #expect(try await gateway.register("control", by: alice).status == 202)
        // Whoever was refused has no device, so nobody is told.
        let told = try await gateway.post("e", to: [alice], by: KeyPair.generate())
        #expect(told == .accepted(1, one.status == 202 ? 2 : 1))
        await gateway.service.stop()
    }

    @Test func theHashOfTheProtocolsExampleIsAccepted() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        var difference = Gateway.Difference()
        difference.hash = "54a3c425f0d5ea4bd268c369e9b7cfe29f171382b3fb89cf3fd60c9ac03983df"
        let body = #"{"device_token":"abc","apns_environment":"sandbox"}"#
        let request = gateway.request("POST", "/v1/devices/register", body, by: alice, difference)
        #expect(try await gateway.send(request).status == 202)
        await gateway.service.stop()
    }

    @Test func aNonceIsGoodForOneRequestOfOneAccountForTenMinutes() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        var difference = Gateway.Difference()
        difference.nonce = "once"
        difference.age = -300
        let request = gateway.request("POST", "/v1/devices/register", registration.description, by: alice, difference)
        #expect(try await gateway.send(request).status == 202)
        #expect(try await gateway.send(request).status == 401)
        // Another account may use the same text.
        #expect(
            try await gateway.ask("POST", "/v1/devices/register", registration, by: .generate(), difference).status
                == 202
        )
        // Up to the last second in which the event itself is good.
        gateway.clock.advance(600_000)
        #expect(try await gateway.send(request).status == 401)
        difference.age = 0
        gateway.clock.advance(1000)
        let later = gateway.request("POST", "/v1/devices/register", registration.description, by: alice, difference)
        #expect(try await gateway.send(later).status == 202)
        await gateway.service.stop()
    }

    @Test func aRefusedBodyUsesTheNonceUp() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        let request = gateway.request("POST", "/v1/devices/register", "{}", by: alice, Gateway.Difference())
        #expect(try await gateway.send(request).status == 400)
        #expect(try await gateway.send(request).status == 401)
        await gateway.service.stop()
    }

    @Test func anUnsignedRequestIsRefusedBeforeItsBodyIsRead() async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder)
        #expect(try await gateway.send(gateway.raw("POST", "/v1/devices/register", "no json")).status == 401)
        let signed = gateway.request("POST", "/v1/devices/register", "no json", by: alice, Gateway.Difference())
        #expect(try await gateway.send(signed).status == 400)
        await gateway.service.stop()
    }

    @Test(arguments: ["/push/v1/devices/register", "/v1/devices/register"])
    func aPrefixIsPartOfTheSignedPathWhetherAProxyRemovesItOrNot(path: String) async throws {
        let folder = try Folder()
        let gateway = try await Gateway(folder, prefix: "/push")
        let signed = gateway.request("POST", "/v1/devices/register", registration.description, by: alice, .init())
        let sent = signed.replacingOccurrences(of: "POST /push/v1/devices/register", with: "POST \(path)")
        #expect(try await gateway.send(sent).status == 202)
        var difference = Gateway.Difference()
        difference.path = "/v1/devices/register"
        #expect(
            try await gateway.ask("POST", "/v1/devices/register", registration, by: alice, difference).status == 401
        )
        await gateway.service.stop()
    }
}

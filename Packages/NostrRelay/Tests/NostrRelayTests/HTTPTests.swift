import Foundation
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import Sockets
import Testing

@Suite struct HTTPTests {
    private let admin = KeyPair.generate()
    private let alice = KeyPair.generate()

    private func url(_ relay: Relay) throws -> HTTPURL {
        try HTTPURL(try #require(relay.url).text.replacing("ws://", with: "http://"))
    }

    private func post(_ relay: Relay, _ body: [UInt8], _ authorization: String?) async throws -> HTTPResponse {
        var fields = HTTPFields()
        if let authorization { try fields.append("Authorization", authorization) }
        return try await HTTPClient().post(url(relay), body: body, type: "application/nostr+json+rpc", fields: fields)
    }

    /// The status of a request without a body.
    private func status(_ relay: Relay, _ method: String) async throws -> String {
        let port = try #require(relay.address.port)
        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream)
        try await connection.write(Array("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), within: .seconds(20))
        let head = try await connection.read(exactly: 12, within: .seconds(20))
        await connection.abort()
        return String(decoding: head.suffix(3), as: UTF8.self)
    }

    private func call(
        _ relay: Relay,
        _ method: String,
        _ parameters: JSONValue = [],
        by keys: KeyPair? = nil,
        signing: [UInt8]? = nil
    ) async throws -> (status: Int, answer: JSONValue) {
        let call: JSONValue = ["method": .string(method), "params": parameters]
        let body = call.json
        let header = HTTPAuthorization.header(
            url: try #require(relay.url).text,
            method: "POST",
            body: signing ?? body,
            createdAt: StoreClock.seconds(),
            signedBy: keys ?? admin
        )
        let response = try await post(relay, body, header)
        return (response.status, try JSONValue(json: response.body))
    }

    private func options(_ file: String? = nil) -> RelayOptions {
        var options = RelayOptions()
        options.information.name = "test relay"
        options.administrators = [admin.publicKey.bytes]
        options.managementFile = file
        return options
    }

    @Test func theInformationDocumentSaysWhatTheRelayDoes() async throws {
        var options = options()
        options.limits.subscriptions = 7
        options.authentication = .read
        options.minimumDifficulty = 3
        try await withRelay(options) { relay, _ in
            let response = try await HTTPClient().get(url(relay), accept: "application/nostr+json")
            #expect(response.status == 200)
            #expect(response.fields.single("access-control-allow-origin") == "*")
            let document = try JSONValue(json: response.body)
            #expect(document["name"]?.string == "test relay")
            let nips = document["supported_nips"]?.array?.compactMap(\.integer)
            #expect(nips == [1, 9, 11, 13, 40, 42, 45, 59, 62, 65, 67, 70, 77, 86])
            #expect(document["limitation"]?["max_subscriptions"]?.integer == 7)
            #expect(document["limitation"]?["auth_required"]?.bool == true)
            #expect(document["limitation"]?["min_pow_difficulty"]?.integer == 3)
            let plain = try await HTTPClient().get(url(relay))
            #expect(plain.status == 200)
            #expect(plain.fields.single("content-type")?.hasPrefix("text/plain") == true)
            #expect(try await status(relay, "OPTIONS") == "204")
            #expect(try await status(relay, "DELETE") == "405")
        }
    }

    @Test func onlyAnAdministratorMayManageAndOnlyWithTheBodyThatWasSigned() async throws {
        try await withRelay(options()) { relay, _ in
            let key: JSONValue = [.string(alice.publicKey.bytes.hex)]
            #expect(try await call(relay, "banpubkey", key, by: alice).status == 403)
            #expect(try await call(relay, "banpubkey", key, signing: [1, 2, 3]).status == 401)
            let missing = try await post(relay, Array(#"{"method":"supportedmethods","params":[]}"#.utf8), nil)
            #expect(missing.status == 401)
            let client = try await TestClient(relay)
            #expect(try await client.publish(note("still here", by: alice)).accepted)
            #expect(try await call(relay, "banpubkey", key) == (200, ["result": true]))
            let banned = try await client.publish(note("gone", by: alice))
            #expect(banned == (false, "blocked: this author is banned here"))
        }
    }

    @Test func anAuthorisationCountsOnce() async throws {
        try await withRelay(options()) { relay, _ in
            let body = Array(#"{"method":"supportedmethods","params":[]}"#.utf8)
            let header = HTTPAuthorization.header(
                url: try #require(relay.url).text,
                method: "POST",
                body: body,
                createdAt: StoreClock.seconds(),
                signedBy: admin
            )
            #expect(try await post(relay, body, header).status == 200)
            #expect(try await post(relay, body, header).status == 401)
        }
    }

    @Test func decisionsAreListedKeptAndTakenBack() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("relay-\(UUID()).json").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let event = note("bad", by: alice)
        try await withRelay(options(file)) { relay, store in
            _ = try await store.ingest(event)
            let key = alice.publicKey.bytes.hex
            let id: JSONValue = [.string(event.id.hex), "spam"]
            #expect(try await call(relay, "banevent", id).answer == ["result": true])
            #expect(try await store.count(matching: [Filter()]) == 0)
            let events: JSONValue = ["result": [["id": .string(event.id.hex), "reason": "spam"]]]
            #expect(try await call(relay, "listbannedevents").answer == events)
            #expect(try await call(relay, "allowpubkey", [.string(key)]).answer == ["result": true])
            #expect(try await call(relay, "listallowedpubkeys").answer == ["result": [["pubkey": .string(key)]]])
            #expect(try await call(relay, "allowkind", [1]).answer == ["result": true])
            #expect(try await call(relay, "listallowedkinds").answer == ["result": [1]])
            #expect(try await call(relay, "blockip", ["192.0.2.1"]).answer == ["result": true])
            #expect(try await call(relay, "changerelayname", ["renamed"]).answer == ["result": true])
            #expect(try await call(relay, "nonsense").answer["error"]?.string == "unsupported: there is no such method")
            #expect(try await call(relay, "banpubkey", ["zz"]).answer["error"]?.string?.hasPrefix("invalid: ") == true)
        }
        try await withRelay(options(file)) { relay, _ in
            let client = try await TestClient(relay)
            #expect(try await client.publish(event) == (false, "blocked: this event is banned here"))
            #expect(try await client.publish(note("fine", by: alice)).accepted)
            #expect(try await client.publish(note("kind", by: alice, kind: 7)).status.hasPrefix("blocked: "))
            #expect(try await client.publish(note("other", by: .generate())).status.hasPrefix("restricted: "))
            #expect(try await call(relay, "listblockedips").answer == ["result": [["ip": "192.0.2.1"]]])
            let response = try await HTTPClient().get(url(relay), accept: "application/nostr+json")
            #expect(try JSONValue(json: response.body)["name"]?.string == "renamed")
            #expect(try await call(relay, "allowevent", [.string(event.id.hex)]).answer == ["result": true])
            #expect(try await client.publish(event).accepted)
        }
    }

    @Test func aBlockedAddressIsTurnedAway() async throws {
        try await withRelay(options()) { relay, _ in
            let control = try await TestClient(relay)
            #expect(try await control.fetch(Filter()) == [])
            #expect(try await call(relay, "blockip", ["127.0.0.1"]).status == 200)
            #expect(try await HTTPClient().get(url(relay)).status == 403)
            await #expect(throws: (any Error).self) { try await TestClient(relay) }
        }
    }

    @Test func aManagementFileThatIsDamagedIsRefusedAndLeftAsItIs() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("relay-\(UUID()).json").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("{\"version\":1".utf8).write(to: URL(fileURLWithPath: file))
        await #expect(throws: RelayError.unreadableManagementFile(path: file)) {
            try await withRelay(options(file)) { _, _ in }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("{\"version\":1".utf8))
    }
}

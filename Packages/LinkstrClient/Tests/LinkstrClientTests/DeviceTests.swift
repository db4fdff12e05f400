import Foundation
import LinkMetadata
import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

@Suite("The network of a device")
struct DeviceTests {
    @Test("goes through the proxy that was set, for relays and links alike, and through none by default")
    func proxy() throws {
        let temporary = try TemporaryHome()
        #expect(try ClientOptions(temporary.home).transport.webSocket.connector.proxy == nil)
        var settings = NetworkSettings()
        try settings.setProxy("socks5://[::1]:9050")
        try temporary.home.save(settings)
        #expect(try temporary.home.networkSettings() == settings)
        let options = try ClientOptions(temporary.home)
        #expect(options.transport.webSocket.connector.proxy?.host == "::1")
        #expect(options.metadataFetcher.connector.proxy?.port == 9050)
        // Of its relays, those on this machine are reached without it, and nothing else is.
        #expect(options.transport.webSocket.connector.direct.isEmpty)
        var list = RelayList.standard
        try list.add("ws://127.0.0.1:7447")
        try temporary.home.save(list)
        let own = try ClientOptions(temporary.home)
        let place = try #require(LoopbackPlace(host: "127.0.0.1", port: 7447))
        #expect(own.transport.webSocket.connector.direct == [place])
        #expect(own.metadataFetcher.connector.direct.isEmpty && own.pushHTTP.connector.direct.isEmpty)
        try settings.setProxy(nil)
        try temporary.home.save(settings)
        #expect(!FileManager.default.fileExists(atPath: temporary.path + "/network.json"))
    }

    @Test("takes no proxy that is none", arguments: ["", "host", ":1", "host:0", "host:70000", "::1:80", "[]:1"])
    func noProxy(text: String) throws {
        var settings = NetworkSettings()
        #expect(throws: NetworkSettings.Problem.notAProxy(text)) { try settings.setProxy(text) }
        try settings.setProxy("host:1")
    }

    @Test("says which file of issuers cannot be used")
    func authorities() throws {
        let temporary = try TemporaryHome()
        var settings = NetworkSettings()
        settings.extraAuthorities = temporary.path + "/none.pem"
        try temporary.home.save(settings)
        #expect { try ClientOptions(temporary.home) } throws: { error in
            guard case ClientError.network(.authorities(let path, _)) = error else { return false }
            return path == temporary.path + "/none.pem"
        }
    }

    @Test("knows which of its relays others cannot reach")
    func unreachable() throws {
        let temporary = try TemporaryHome()
        var list = RelayList.standard
        list.setEmbedded(try RelayURL("ws://127.0.0.1:7447"))
        try temporary.home.save(list)
        #expect(try ClientOptions(temporary.home).unreachableRelays == [try RelayURL("ws://127.0.0.1:7447")])
    }
}

@Suite("Databases of an account that cannot be opened")
struct DamageTests {
    @Test("are named and left byte for byte as they are", arguments: ["account.db", "client.db"])
    func damaged(name: String) async throws {
        let ann = try Person()
        let sound = try await ann.runtime([])
        await sound.close()
        let file = ann.temporary.home.account(ann.key) + "/" + name
        let damaged = Data("This is no database, however long one looks at it.".utf8)
        try damaged.write(to: URL(fileURLWithPath: file))
        for rest in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + rest) }
        await #expect { try await ann.runtime([]) } throws: { error in
            guard case ClientError.store(let problem) = error else { return false }
            return problem.description.contains(file)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == damaged)
        // What is new is made; nothing else was changed.
        try FileManager.default.removeItem(atPath: file)
        let again = try await ann.runtime([])
        #expect(try await again.integrityCheck().isEmpty)
        await again.close()
    }

    @Test("come back from relays where the sessions' one was lost, and the other still knew what had been read")
    func lost() async throws {
        let village = try await Village()
        let ann = try Person()
        let before = try await ann.runtime([village.url])
        let log = try await before.make("Films", with: [])
        try await before.post("a", in: log)
        _ = try await before.catchUp()
        try await before.changeSettings { $0.deletesAllCopies = true }
        await before.close()
        let file = ann.temporary.home.database(ann.key)
        for rest in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + rest) }
        let after = try await ann.runtime([village.url])
        #expect(try await after.store.sessions().isEmpty)
        let report = try await after.catchUp()
        #expect(report.opened == 2)
        #expect(try await after.store.feed(FeedQuery()).items.map(\.post.url.text) == ["https://example.com/a"])
        #expect(await after.currentSettings.deletesAllCopies)
        await after.close()
        // What is not lost is not read again.
        let again = try await ann.runtime([village.url])
        #expect(try await again.catchUp(.full).opened == 0)
        await again.close()
        try await village.close()
    }
}

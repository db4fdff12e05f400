import Foundation
import LinkMetadata
import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrTransport
import Sockets
import Testing

@Suite("Titles and thumbnails", .timeLimit(.minutes(10)))
struct MetadataOfPostsTests {
    /// A page with a picture, and how often each was asked for.
    private final class Site: Sendable {
        let server: HTTPServer
        let asked = Locked<[String: Int]>([:])

        init() throws {
            let asked = asked
            let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
            server = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
                let path = String(request.head.path)
                asked.withLock { $0[path, default: 0] += 1 }
                let isPicture = path == "/p.png"
                let page = """
                    <html><head><title>A remarkable film</title>
                    <meta property="og:title" content="A remarkable film">
                    <meta property="og:image" content="/p.png"></head></html>
                    """
                var response = HTTPResponse(status: 200, body: isPicture ? picture : Array(page.utf8))
                try? response.fields.append("Content-Type", isPicture ? "image/png" : "text/html")
                return response
            }
        }

        var address: String { "http://127.0.0.1:\(server.address.port ?? 0)" }
        func count(_ path: String) -> Int { asked.withLock { $0[path] ?? 0 } }
    }

    @Test("are fetched for new posts where the person wants that, kept sealed, and cleared")
    func fetching() async throws {
        let site = try Site()
        let village = try await Village()
        let ann = try Person()
        var (anns, hears) = try await ann.live([village.url]) { $0.metadataFetcher.allowsPrivateAddresses = true }
        let log = try await anns.make("Films", with: [])
        let first = try await anns.send(anns.planner().post(WebURL(site.address + "/a"), in: log)).outgoing.fact.id
        #expect(site.count("/a") == 0)
        let item = try #require(try await anns.store.post(first))
        #expect(try await anns.metadata(of: item) == nil)
        #expect(site.count("/a") == 0)

        try await anns.changeSettings { $0.fetchesMetadata = true }
        let second = try await anns.send(anns.planner().post(WebURL(site.address + "/b"), in: log)).outgoing.fact.id
        let (id, found) = try await hears.first { event -> (EventID, PostMetadata)? in
            if case .metadata(_, let id, let found) = event.kind { (id, found) } else { nil }
        }
        #expect(id == second && found.title == "A remarkable film")
        let file = try #require(found.thumbnail)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count == 4)
        #expect(try ann.temporary.mode(file) == 0o600)
        #expect(site.count("/b") == 1 && site.count("/p.png") == 1)

        // A refresh asks again; a thumbnail that was lost is fetched again.
        try FileManager.default.removeItem(atPath: file)
        let refreshed = try await anns.refreshMetadata(of: try #require(try await anns.store.post(second)))
        #expect(refreshed.thumbnail == file && site.count("/b") == 2 && site.count("/p.png") == 2)
        let usage = try await anns.metadataUsage()
        #expect(usage.titles == 1 && usage.thumbnails == 1 && usage.bytes == 4)
        #expect(await anns.fetchMetadata(of: [first, EventID(.zero)]) == 1)
        #expect(site.count("/a") == 1)
        try await anns.clearMetadata()
        let cleared = try await anns.metadataUsage()
        #expect(cleared.titles == 0 && cleared.thumbnails == 0)
        #expect(try await anns.store.feed(FeedQuery()).items.count == 2)
        await anns.close()
        let database = try ann.temporary.bytes(ann.temporary.home.clientDatabase(ann.key))
        #expect(!database.contains("remarkable"))
        site.server.close()
        try await village.close()
    }
}

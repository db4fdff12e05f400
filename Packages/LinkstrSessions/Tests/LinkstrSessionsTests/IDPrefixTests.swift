import LinkstrSessions
import NostrEvents
import SQLite
import Testing

@Suite("Posts by the beginning of their ids")
struct IDPrefixTests {
    @Test("are those that count, wherever their keys lie, in the order of their ids")
    func finding() async throws {
        // Most keys are merged, the last ones are not.
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, recentFacts: 70))
        try await device.take(make.create(all, at: 1))
        let posts = (0..<200).map { make.root(at: Int64(10 + $0)) }
        try await device.take(posts)
        try await device.take(make.root(by: other, at: 500), make.react(to: posts[0], at: 600))
        let ids = posts.map(\.id.hex).sorted()
        for digit in "0123456789abcdef" {
            let found = try await device.store.posts(idPrefix: String(digit), limit: .max).map(\.post.id.hex)
            #expect(found == ids.filter { $0.first == digit })
        }
        for count in [8, 16, 17, 40, 64] {
            let prefix = String(ids[77].prefix(count))
            #expect(try await device.store.posts(idPrefix: prefix).map(\.post.id.hex) == [ids[77]])
        }
        #expect(try await device.store.posts(idPrefix: "0", limit: 2).count == 2)
    }

    @Test("are none for what no id begins with", arguments: ["", "g", "A", "0x", String(repeating: "0", count: 65)])
    func nothing(text: String) async throws {
        let device = try await Device()
        try await device.take(make.create(all, at: 1), make.root(at: 10))
        #expect(try await device.store.posts(idPrefix: text).isEmpty)
    }
}

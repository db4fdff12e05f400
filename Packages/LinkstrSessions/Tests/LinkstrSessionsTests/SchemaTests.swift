import Foundation
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

/// Databases as earlier versions wrote them are in `Cases`, one for each version of the schema, all with the same facts. With
/// `LINKSTR_SESSION_FIXTURE` as a path the newest is written there.
@Suite("A database of an earlier version")
struct SchemaTests {
    private func fill(_ device: Device) async throws {
        let gone = Maker(session: try #require(SessionID("gone")))
        let root = make.root(at: 110, "kept")
        let read = make.root(at: 120, "read")
        try await device.take(make.create(all, at: 100), make.create([peer, owner], by: peer, at: 105))
        try await device.take(gone.create(all, at: 1), gone.delete(at: 2))
        _ = try await device.store.completeRestore()
        let wraps = [WrapReference(id: id("wrap"), recipient: owner)]
        let arrivals = [
            Arrival(root, source: .live, wraps: wraps), Arrival(read, source: .live),
            Arrival(make.react(to: root, by: creator, at: 130), source: .live),
            Arrival(make.members(all + [other], at: 140, name: "B"), source: .live, seal: Array("seal".utf8)),
            Arrival(make.root(by: key(0x50), at: 150), source: .historical),
        ]
        _ = try await device.store.apply(arrivals, now: 1_000)
        try await device.store.markRead(read.id)
        try await device.store.setArchived(true, films)
    }

    @Test("opens with all that was in it", arguments: ["schema-1"])
    func opens(_ name: String) async throws {
        let fresh = try await Device(isRestored: false)
        try await fill(fresh)
        if let path = ProcessInfo.processInfo.environment["LINKSTR_SESSION_FIXTURE"] {
            let store = try await fresh.restarted()
            try await store.store.backUp(to: path)
            return
        }
        let scratch = try Scratch()
        let fixture = Repository.root.appendingPathComponent(
            "Packages/LinkstrSessions/Tests/LinkstrSessionsTests/Cases/\(name).sqlite"
        )
        try FileManager.default.copyItem(atPath: fixture.path, toPath: scratch.path)
        let device = try await Device(isRestored: false, scratch: scratch)
        #expect(try await device.state() == fresh.state())
        #expect(try await device.store.sessions() == fresh.store.sessions())
        #expect(try await device.posts() == fresh.posts())
        #expect(try await device.store.keptSeals().map(\.json) == [Array("seal".utf8)])
        #expect(try await device.store.wraps(of: make.root(at: 110, "kept").id).map(\.id) == [id("wrap")])
        try await device.take(make.members(all + [key(0x50)], at: 145))
        #expect(try await device.times() == [110, 120, 150])
    }
}

import LinkstrSessions
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

@Suite("A session store and who made a session")
struct StoreClaimTests {
    @Test("fixes the choice of the earliest claim at the end of the restore, and moves it by the person's word only")
    func pins() async throws {
        let device = try await Device(isRestored: false)
        try await device.take(make.create([peer, owner], by: peer, at: 50, name: "Peer's"))
        try await device.take(make.create([creator, owner], at: 40, name: "Creator's"))
        #expect(try await device.store.session(films)?.creator == creator)
        _ = try await device.store.completeRestore()
        let applied = try await device.take(make.create([other, owner], by: other, at: 1))
        #expect(applied.effects.isEmpty)
        let again = try await device.restarted()
        let summary = try #require(try await again.store.session(films))
        #expect(summary.creator == creator)
        #expect(summary.isContested)
        #expect(summary.needsConfirmation)
        #expect(try await again.store.setCreator(peer, of: films) == [.changed(films)])
        let moved = try await again.restarted()
        #expect(try await moved.name() == "Peer's")
        #expect(try await moved.store.session(films)?.needsConfirmation == false)
        await #expect(throws: SessionStoreError.notAClaimant) { try await moved.store.setCreator(key(0x55), of: films) }
    }

    @Test("asks when another claimant wants the session deleted, and obeys the creator")
    func deletedByOther() async throws {
        let device = try await Device()
        try await device.take(make.create([creator, owner], at: 40), make.create([peer, owner], by: peer, at: 50))
        try await device.take(make.delete(by: peer, at: 60))
        #expect(try await device.store.session(films)?.isDeletedByOtherClaimant == true)
        #expect(try await device.store.setCreator(peer, of: films) == [.closed(films, creator: peer)])
        let deleted = try await device.store.deletedSessions()
        #expect(deleted.map(\.creator) == [peer])
    }

    @Test("leaves a deleted session open to a better claim until the restore is complete")
    func deleteWhileRestoring() async throws {
        let device = try await Device(isRestored: false)
        try await device.take(make.create([peer, owner], by: peer, at: 50), make.delete(by: peer, at: 60))
        #expect(try await device.store.sessions().isEmpty)
        try await device.take(make.create([creator, owner], at: 40), make.root(by: creator, at: 45))
        #expect(try await device.times() == [45])
        #expect(try await device.store.completeRestore().isEmpty)
        #expect(try await device.store.session(films)?.isDeletedByOtherClaimant == true)
    }

    @Test("keeps the creator and the eight other claimants with the earliest claims")
    func claimants() async throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<5 {
            let device = try await Device(isRestored: false)
            let claims = (1...30).map { make.create([key($0 + 0x20), owner], by: key($0 + 0x20), at: Int64($0)) }
            var forgotten: [EventID] = []
            var kept: [EventID] = []
            for claim in claims.shuffled(using: &random) {
                let applied = try await device.take(claim)
                forgotten += applied.forgotten
                if applied.outcomes == [.kept] { kept.append(claim.id) }
            }
            let log = try #require(try await device.store.log(films))
            #expect(log.claimants == claims.prefix(9).map(\.sender))
            let left = Set(kept).subtracting(forgotten)
            let earliest = Set(claims.prefix(9).map(\.id))
            #expect(left == earliest)
            #expect(try await device.restarted().store.session(films)?.isContested == true)
        }
    }

    @Test("wants history when a claimant becomes the creator of whom facts were dropped")
    func droppedClaimant() async throws {
        let device = try await Device(isRestored: false)
        let claims = (1...9).map { make.create([key($0 + 0x20), owner], by: key($0 + 0x20), at: Int64($0)) }
        try await device.take(claims)
        let tenth = key(0x40)
        #expect(try await device.take(make.create([tenth, owner], by: tenth, at: 50)).outcomes == [.refused])
        #expect(try await !device.store.wantsFullHistory)
        let applied = try await device.take(make.members([tenth, owner], by: tenth, at: 0, name: "Tenth's"))
        #expect(applied.effects.contains(.wantsFullHistory))
        #expect(applied.forgotten == [claims[8].id])
        #expect(try await device.name() == "Tenth's")
    }

    @Test("sends a list again to those whom another own device's list left out unknowingly")
    func conflicts() async throws {
        let device = try await Device(owner: creator)
        let mine = make.members(all, at: 200)
        for fact in [make.create([creator, owner], at: 100), mine] {
            _ = try await device.store.apply([Arrival(fact, source: .live, isMadeHere: true)], now: 0)
        }
        let theirs = make.members([creator, owner, other], at: 300)
        #expect(
            try await device.take(theirs).effects
                == [.resend(films, memberList: theirs.id, to: [peer]), .changed(films)]
        )
        let before = make.members([creator, key(0x33)], at: 150)
        let effects = try await device.take(before).effects
        #expect(
            effects == [
                .resend(films, memberList: before.id, to: [owner]),
                .resend(films, memberList: mine.id, to: [key(0x33)]),
            ]
        )
    }

    @Test("reminds a former member who still writes, once a day")
    func reminders() async throws {
        var device = try await Device(owner: creator)
        let end = make.members([creator, owner], at: 200)
        try await device.take(make.create(all, at: 100), end, make.root(at: 150))
        #expect(try await device.take(make.root(at: 250)).effects == [.remind(films, memberList: end.id, to: peer)])
        #expect(try await device.take(make.root(at: 260)).effects.isEmpty)
        device.now += 86_400
        #expect(try await device.take(make.root(at: 270)).effects == [.remind(films, memberList: end.id, to: peer)])
        #expect(try await device.take(make.root(by: key(0x44), at: 280)).effects.isEmpty)
    }
}

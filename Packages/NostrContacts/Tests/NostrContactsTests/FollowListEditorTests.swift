import NostrContacts
import NostrCrypto
import NostrEvents
import Locking
import Testing

@Suite("An editor of a follow list")
struct FollowListEditorTests {
    private let desk = Desk()
    private let rich = listEvent(
        [Tag("p", alice.hex, "wss://a.example", "Al"), Tag("t", "nostr"), Tag("-")],
        at: 900,
        content: "old"
    )

    private func list(_ outcome: FollowListEditor.Outcome) throws -> FollowList {
        guard case .published(let event) = outcome else { throw ContactsError.conflict }
        return try #require(FollowList(event))
    }

    @Test("publishes the list with everything that was in it and the new key at its end")
    func add() async throws {
        let editor = desk.editor(knowing: rich)
        let outcome = try await editor.add([follow(bob)])
        #expect(try list(outcome).tags == Array(rich.tags) + [Tag("p", bob.hex)])
        #expect(try list(outcome).content == "old")
        #expect(desk.published.map(\.createdAt) == [1_000])
        #expect(desk.state.withLock { $0.saves } == 1)
        #expect(try await editor.add([follow(bob)]) == .unchanged)
        #expect(try await editor.remove([carol.bytes]) == .unchanged)
        #expect(desk.published.count == 1)
    }

    @Test("refuses before the current list is known, unless told that it is the first")
    func ignorance() async throws {
        let editor = desk.editor()
        await #expect(throws: ContactsError.listUnknown) { try await editor.add([follow(bob)]) }
        await #expect(throws: ContactsError.listUnknown) { try await editor.remove([bob.bytes]) }
        desk.state.withLock { $0.fetchFailure = Desk.Refused() }
        await #expect(throws: Desk.Refused.self) { try await editor.load() }
        await #expect(throws: ContactsError.listUnknown) { try await editor.add([follow(bob)]) }
        #expect(desk.published.isEmpty)

        let first = desk.editor()
        #expect(try list(try await first.add([follow(bob)], confirming: .firstList)).tags == tags([bob]))
        desk.state.withLock { $0.fetchFailure = nil }
        try await editor.load()
        #expect(try list(try await editor.add([follow(bob)])).tags == tags([bob]), "relays said that there is none")
    }

    @Test("does not take a list older than the watermark for the current one")
    func staleRelays() async throws {
        let editor = FollowListEditor(
            keyPair: me,
            state: FollowListState(owner: me.publicKey.bytes, watermark: ReplaceableVersion(listEvent([], at: 950))),
            environment: desk.environment
        )
        desk.state.withLock { [rich] in $0.stored = [rich] }
        try await editor.load()
        await #expect(throws: ContactsError.listUnknown) { try await editor.add([follow(bob)]) }
    }

    @Test("changes nothing when relays refuse")
    func refused() async throws {
        let editor = desk.editor(knowing: rich)
        desk.state.withLock { $0.refusal = Desk.Refused() }
        await #expect(throws: Desk.Refused.self) { try await editor.add([follow(bob)]) }
        #expect(await editor.state.newest == rich)
        desk.state.withLock { $0.refusal = nil }
        _ = try await editor.add([follow(bob)])
        #expect(await editor.state.list?.contains(bob.bytes) == true)
    }

    @Test("says when the list is published but not saved")
    func unsaved() async throws {
        let editor = desk.editor(knowing: rich)
        desk.state.withLock { $0.saveRefusal = Desk.Refused() }
        await #expect(throws: ContactsError.notSaved) { try await editor.add([follow(bob)]) }
    }

    @Test("publishes again on a newer list that arrives meanwhile, three times at most")
    func conflict() async throws {
        let editor = desk.editor(knowing: rich)
        let other = Locked<[PublicKey]>([carol])
        desk.meanwhile.withLock {
            $0 = { event in
                guard let key = other.withLock({ $0.popLast() }) else { return }
                try await editor.receive(listEvent(tags([key]), at: event.createdAt + 1))
            }
        }
        let outcome = try await editor.add([follow(bob)])
        #expect(try list(outcome).tags == tags([carol, bob]))
        #expect(desk.published.map(\.createdAt) == [1_000, 1_002])

        other.withLock { $0 = [alice, carol, alice, carol] }
        let count = desk.published.count
        await #expect(throws: ContactsError.conflict) { try await editor.add([follow(KeyPair.generate().publicKey)]) }
        #expect(desk.published.count == count + FollowListEditor.maximumPublications)
    }

    @Test("publishes again when a list that arrives meanwhile is older than its own but newer than the base")
    func overwritten() async throws {
        let editor = desk.editor(knowing: rich)
        desk.during { event in
            try await editor.receive(listEvent(tags([bob, carol]), at: event.createdAt - 1))
        }
        // Nothing is left to change, but the relays hold the list without carol.
        #expect(try list(try await editor.add([follow(bob)])).tags == tags([bob, carol]))
        #expect(desk.published.map(\.createdAt) == [1_000, 1_001])
    }

    @Test("takes the echo of its own list for what it is")
    func echo() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock { $0 = { event in try await editor.receive(event) } }
        #expect(try list(try await editor.add([follow(bob)])).contains(bob.bytes))
        #expect(desk.published.count == 1)
    }

    @Test("takes its own list from a relay for success when the answer is lost, and a newer one for a new base")
    func lostAnswer() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock {
            $0 = { event in
                try await editor.receive(event)
                throw Desk.Refused()
            }
        }
        #expect(try list(try await editor.add([follow(bob)])).contains(bob.bytes))
        desk.during { event in
            try await editor.receive(listEvent(tags([alice]), at: event.createdAt + 1))
            throw Desk.Refused()
        }
        #expect(try list(try await editor.add([follow(carol)])).keys == [alice.bytes, bob.bytes, carol.bytes])
    }

    @Test("asks for what it was asked again when another device's newer list is without it")
    func contradicted() async throws {
        let editor = desk.editor(knowing: rich)
        _ = try await editor.add([follow(bob)])
        try await editor.receive(listEvent(Array(rich.tags) + tags([carol]), at: 1_001))
        #expect(await editor.needsSettling)
        #expect(try list(try await editor.settle()).keys == [alice.bytes, bob.bytes, carol.bytes])
        // After a minute it is somebody's decision.
        desk.state.withLock { $0.now = 1_061 }
        try await editor.receive(listEvent(tags([carol]), at: 1_050))
        #expect(await !editor.needsSettling)
        #expect(try await editor.settle() == .unchanged)
    }

    @Test("merges a list that another device made of the same base, once")
    func concurrent() async throws {
        let editor = desk.editor(knowing: rich)
        _ = try await editor.add([follow(bob)])
        let theirs = listEvent(Array(rich.tags) + tags([carol]), at: 950)
        #expect(try await editor.receive(theirs) == .stale)
        #expect(await editor.needsSettling)
        #expect(try list(try await editor.settle()).tags == Array(rich.tags) + tags([bob, carol]))
        #expect(try await editor.settle() == .unchanged)
        _ = try await editor.remove([carol.bytes])
        try await editor.receive(theirs)
        #expect(await !editor.needsSettling, "what was merged before stays as it was changed since")
        try await editor.receive(listEvent(tags([carol]), at: 800))
        #expect(await !editor.needsSettling, "older than the base is no change")
    }

    @Test("makes changes that are asked for together one after the other")
    func serialised() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock { $0 = { _ in await Task.yield() } }
        let keys = (0..<10).map { _ in KeyPair.generate().publicKey }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in keys { group.addTask { _ = try await editor.add([follow(key)]) } }
            try await group.waitForAll()
        }
        #expect(await editor.state.list?.keys == Set(keys.map(\.bytes)).union([alice.bytes]))
        #expect(desk.published.count == 10)
        #expect(Set(desk.published.map(\.createdAt)).count == 10, "each later than the one before")
    }

    @Test("refuses to shrink by more than half without a confirmation")
    func shrink() async throws {
        let five = (0..<5).map { _ in KeyPair.generate().publicKey }
        let editor = desk.editor(knowing: listEvent(tags(five), at: 900))
        let three = Set(five.prefix(3).map(\.bytes))
        await #expect(throws: ContactsError.shrinks(from: 5, to: 2)) { try await editor.remove(three) }
        await #expect(throws: ContactsError.shrinks(from: 5, to: 0)) { try await editor.clear(confirming: []) }
        #expect(desk.published.isEmpty)
        let two = Set(five.prefix(2).map(\.bytes))
        #expect(try list(try await editor.remove(two)).follows.count == 3)
        #expect(try list(try await editor.clear(confirming: .shrink)).tags.isEmpty)
    }

    @Test("dates a list after the one it replaces and refuses when that one is far in the future", arguments: [1, 600])
    func clock(ahead: Int64) async throws {
        let editor = desk.editor(knowing: listEvent(tags([alice]), at: 1_000 + ahead - 1))
        #expect(try await editor.add([follow(bob)]) != .unchanged)
        #expect(desk.published.map(\.createdAt) == [1_000 + ahead])
        let late = desk.editor(knowing: listEvent(tags([alice]), at: 1_600))
        await #expect(throws: ContactsError.clockBehind(seconds: 600)) { try await late.add([follow(bob)]) }
    }

    @Test("brings replaced lists back exactly")
    func undo() async throws {
        let editor = desk.editor(knowing: rich)
        _ = try await editor.remove([alice.bytes], confirming: .shrink)
        _ = try await editor.add([follow(carol)])
        #expect(await editor.history.events.first == rich)
        let back = try list(try await editor.undo(2))
        #expect(back == FollowList(rich))
        #expect(try list(try await editor.undo()).keys == [carol.bytes], "an undo can be undone")
        await #expect(throws: ContactsError.noSuchVersion) { try await editor.undo(9) }
        let kept = FollowListHistory(await editor.history.events, capacity: 2)
        #expect(kept.events.count == 2 && kept[stepsBack: 0] == nil && kept[stepsBack: 3] == nil)
    }

    @Test("applies nothing after it was closed")
    func closed() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock { $0 = { _ in await editor.close() } }
        await #expect(throws: ContactsError.closed) { try await editor.add([follow(bob)]) }
        #expect(desk.state.withLock { $0.saves } == 0)
        #expect(await editor.state.newest == rich)
        await #expect(throws: ContactsError.closed) { try await editor.add([follow(bob)]) }
        await #expect(throws: ContactsError.closed) { try await editor.receive(rich) }
    }

    @Test("lets a change that waits be cancelled, and goes on with the next")
    func cancelled() async throws {
        let editor = desk.editor(knowing: rich)
        let waiting = Locked<Task<FollowListEditor.Outcome, any Error>?>(nil)
        desk.meanwhile.withLock {
            $0 = { _ in
                guard waiting.withLock({ $0 }) == nil else { return }
                let task = Task { try await editor.add([follow(carol)]) }
                waiting.withLock { $0 = task }
                task.cancel()
                _ = await task.result
            }
        }
        _ = try await editor.add([follow(bob)])
        let task = try #require(waiting.withLock { $0 })
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(desk.published.count == 1)
        _ = try await editor.add([follow(carol)])
        #expect(await editor.state.list?.contains(carol.bytes) == true)
    }
}

import LinkstrPush
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

@Suite struct StoreTests {
    private let alice = Bytes32(words: 0, 0, 0, 1)
    private let bob = Bytes32(words: 0, 0, 0, 2)
    private let carol = Bytes32(words: 0, 0, 0, 3)

    /// A store and its commands, without signatures.
    private struct Bench {
        let folder: Folder
        let store: SQLitePushStore
        var limits = PushLimits()

        init(_ change: (inout PushLimits) -> Void = { _ in }) async throws {
            change(&limits)
            folder = try Folder()
            store = try await SQLitePushStore(folder.database, limits: limits, now: 0)
        }

        @discardableResult
        func perform(_ command: PushCommand, by account: Bytes32, at now: Int64 = 1000) async throws -> PushReply {
            let nonce = SecureRandom.bytes32().hex
            return try await store.perform(command, for: NonceClaim(account: account, nonce: nonce), now: now)
        }

        func register(_ token: String, by account: Bytes32, at now: Int64 = 1000) async throws {
            let body: JSONValue = ["device_token": .string(token), "apns_environment": "sandbox"]
            try await perform(.register(DeviceRegistration(json: body.json)), by: account, at: now)
        }

        func archive(_ archived: [String], known: [String]? = nil, by account: Bytes32) async throws -> PushReply {
            var object = JSONObject()
            object["archived_conversation_ids"] = .array(archived.map { .string($0) })
            if let known { object["known_conversation_ids"] = .array(known.map { .string($0) }) }
            return try await perform(.archive(ArchiveState(json: JSONValue.object(object).json)), by: account)
        }

        func post(
            _ event: String,
            in session: String = "S",
            to recipients: [Bytes32],
            by account: Bytes32,
            at now: Int64 = 1000
        ) async throws -> PushReply {
            let body: JSONValue = [
                "notification_type": "new_post", "event_id": .string(event), "conversation_id": .string(session),
                "recipient_pubkeys": .array(recipients.map { .string($0.hex) }),
            ]
            let request = try PushRequest(json: body.json)
            let job = PushJobRequest(
                notification: try PushNotification(request, isPrivate: false),
                event: request,
                recipients: recipients,
                expires: now + 900_000
            )
            return try await perform(.enqueue(job), by: account, at: now)
        }

        func claim(_ limit: Int = 100, owner: UInt64 = 1, ends: Int64 = 31_000, at now: Int64 = 1000) async throws
            -> [PushJob]
        {
            let lease = PushLease(owner: Bytes32(words: owner, 0, 0, 0), ends: ends)
            return try await store.claimJobs(upTo: limit, lease: lease, now: now).jobs
        }

        func settle(_ settlements: [PushSettlement], owner: UInt64 = 1) async throws {
            try await store.settle(settlements, lease: PushLease(owner: Bytes32(words: owner, 0, 0, 0), ends: 0))
        }
    }

    @Test func aTokenBelongsToWhoRegisteredItLastAndTakesNoJobsAlong() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        #expect(try await bench.post("e", to: [alice], by: carol) == .queued(recipients: 1, devices: 1))
        try await bench.register("t", by: bob)
        let counts = try await bench.store.counts()
        #expect(counts == PushCounts(accounts: 1, devices: 1, jobs: 0, bytes: counts.bytes))
        #expect(try await bench.post("e2", to: [alice, bob], by: carol) == .queued(recipients: 1, devices: 1))
        #expect(try await bench.claim().map(\.target.token) == ["t"])
        await bench.store.close()
    }

    @Test func registeringAgainChangesTheEnvironmentAndKeepsTheJobs() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        _ = try await bench.post("e", to: [alice], by: carol)
        let body: JSONValue = ["device_token": "t", "apns_environment": "production"]
        try await bench.perform(.register(DeviceRegistration(json: body.json)), by: alice)
        let job = try #require(try await bench.claim().first)
        #expect(job.target == PushTarget(token: "t", environment: .production))
        await bench.store.close()
    }

    @Test func onlyItsAccountUnregistersADevice() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        let removal = PushCommand.unregister(try DeviceRemoval(json: Array(#"{"device_token":"t"}"#.utf8)))
        try await bench.perform(removal, by: bob)
        #expect(try await bench.store.counts().devices == 1)
        try await bench.perform(removal, by: alice)
        let counts = try await bench.store.counts()
        #expect(counts == PushCounts(accounts: 0, devices: 0, jobs: 0, bytes: counts.bytes))
        await bench.store.close()
    }

    @Test func archiveStateGoesWithTheLastDevice() async throws {
        let bench = try await Bench()
        try await bench.register("t1", by: alice)
        try await bench.register("t2", by: alice)
        #expect(try await bench.archive(["S"], by: alice) == .added(1))
        let first = PushCommand.unregister(try DeviceRemoval(json: Array(#"{"device_token":"t1"}"#.utf8)))
        let second = PushCommand.unregister(try DeviceRemoval(json: Array(#"{"device_token":"t2"}"#.utf8)))
        try await bench.perform(first, by: alice)
        #expect(try await bench.post("e1", to: [alice], by: carol) == .queued(recipients: 0, devices: 0))
        try await bench.perform(second, by: alice)
        try await bench.register("t1", by: alice)
        #expect(try await bench.post("e1", to: [alice], by: carol) == .queued(recipients: 1, devices: 1))
        await bench.store.close()
    }

    @Test func theDeviceThatWasRegisteredLongestAgoMakesRoom() async throws {
        let bench = try await Bench { $0.devicesPerAccount = 2 }
        try await bench.register("t1", by: alice, at: 1)
        try await bench.register("t2", by: alice, at: 2)
        try await bench.register("t1", by: alice, at: 3)
        try await bench.register("t3", by: alice, at: 4)
        _ = try await bench.post("e", to: [alice], by: carol)
        #expect(try await Set(bench.claim().map(\.target.token)) == ["t1", "t3"])
        await bench.store.close()
    }

    /// Which of the sessions a, b and c an account is not told about.
    private func muted(_ bench: Bench) async throws -> [String] {
        var muted: [String] = []
        for session in ["a", "b", "c"] {
            let event = SecureRandom.bytes32().hex
            let reply = try await bench.post(event, in: session, to: [alice], by: carol)
            if reply == .queued(recipients: 0, devices: 0) { muted.append(session) }
        }
        return muted
    }

    @Test func archiveStateIsReplacedOrChangedInPart() async throws {
        let bench = try await Bench()
        #expect(try await bench.archive(["a"], by: alice) == .done)
        try await bench.register("t", by: alice)
        #expect(try await muted(bench) == [])
        _ = try await bench.archive(["a", "b"], by: alice)
        #expect(try await muted(bench) == ["a", "b"])
        _ = try await bench.archive(["c"], by: alice)
        #expect(try await muted(bench) == ["c"])
        _ = try await bench.archive([], known: [], by: alice)
        #expect(try await muted(bench) == ["c"])
        _ = try await bench.archive(["a"], known: ["a", "b"], by: alice)
        #expect(try await muted(bench) == ["a", "c"])
        _ = try await bench.archive([], known: ["c"], by: alice)
        #expect(try await muted(bench) == ["a"])
        _ = try await bench.archive([], by: alice)
        #expect(try await muted(bench) == [])
        await bench.store.close()
    }

    @Test func archivingRemovesThePendingJobsOfThatAccountAndSessionAlone() async throws {
        let bench = try await Bench()
        try await bench.register("a", by: alice)
        try await bench.register("b", by: bob)
        _ = try await bench.post("e1", in: "S", to: [alice, bob], by: carol)
        _ = try await bench.post("e2", in: "T", to: [alice], by: carol)
        _ = try await bench.archive(["S"], by: alice)
        let left = try await bench.claim().map { $0.target.token + $0.notification.collapseID }
        #expect(left == ["be1", "ae2"])
        await bench.store.close()
    }

    @Test func moreArchivedSessionsThanAreKeptAreRefusedWithoutPartialEffect() async throws {
        let bench = try await Bench { $0.archivedPerAccount = 2 }
        try await bench.register("t", by: alice)
        #expect(try await bench.archive(["a", "b"], known: ["a", "b"], by: alice) == .added(2))
        #expect(try await bench.archive(["c"], known: ["c"], by: alice) == .tooManyArchived)
        #expect(try await bench.archive(["c"], known: ["a", "c"], by: alice) == .added(1))
        #expect(try await muted(bench) == ["b", "c"])
        await bench.store.close()
    }

    @Test func aNonceIsClaimedOncePerAccount() async throws {
        let bench = try await Bench()
        let claim = NonceClaim(account: alice, nonce: "n")
        #expect(try await bench.store.perform(.nothing, for: claim, now: 0) == .done)
        #expect(try await bench.store.perform(.nothing, for: claim, now: 600_000) == .nonceUsed)
        let other = NonceClaim(account: bob, nonce: "n")
        #expect(try await bench.store.perform(.nothing, for: other, now: 600_000) == .done)
        #expect(try await bench.store.perform(.nothing, for: claim, now: 600_001) == .done)
        await bench.store.close()
    }

    @Test func jobsComeEarliestDueFirstThenLowestIDAndToOneWorkerUntilTheLeaseEnds() async throws {
        let bench = try await Bench()
        for token in ["1", "2", "3"] { try await bench.register(token, by: alice) }
        try await bench.register("4", by: bob)
        _ = try await bench.post("e1", to: [alice], by: carol, at: 2000)
        _ = try await bench.post("e2", to: [bob], by: carol, at: 1999)
        #expect(try await bench.claim(at: 1998).isEmpty)
        #expect(try await bench.claim(2, at: 2000).map(\.target.token) == ["4", "1"])
        #expect(try await bench.claim(owner: 2, at: 2000).map(\.target.token) == ["2", "3"])
        #expect(try await bench.claim(owner: 3, at: 30_999).isEmpty)
        let reclaimed = try await bench.claim(owner: 3, ends: 62_000, at: 31_000)
        #expect(reclaimed.count == 4)
        #expect(reclaimed.filter(\.isReclaimed).count == 4)
        await bench.store.close()
    }

    @Test func onlyWhoHasAJobPutsItBack() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        _ = try await bench.post("e", to: [alice], by: carol)
        let job = try #require(try await bench.claim(ends: 2000).first)
        let taken = try #require(try await bench.claim(owner: 2, ends: 90_000, at: 2000).first)
        try await bench.settle([.retry(job, due: 3000)])
        #expect(try await bench.claim(owner: 3, at: 50_000).isEmpty)
        try await bench.settle([.retry(taken, due: 3000)], owner: 2)
        #expect(try await bench.claim(owner: 3, at: 2999).isEmpty)
        let again = try #require(try await bench.claim(owner: 3, at: 3000).first)
        #expect(again.failures == 1)
        #expect(!again.isReclaimed)
        // What was sent by anybody is done.
        try await bench.settle([.delivered(job)])
        #expect(try await bench.store.counts().jobs == 0)
        await bench.store.close()
    }

    @Test func expiredJobsAreRemovedUnsent() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        _ = try await bench.post("e", to: [alice], by: carol, at: 1000)
        let lease = PushLease(owner: alice, ends: 2_000_000)
        #expect(try await bench.store.claimJobs(upTo: 0, lease: lease, now: 900_999) == ClaimedJobs.none(expired: 0))
        #expect(try await bench.store.claimJobs(upTo: 9, lease: lease, now: 901_000) == ClaimedJobs.none(expired: 1))
        #expect(try await bench.store.counts().jobs == 0)
        await bench.store.close()
    }

    @Test func theDatabaseHoldsNoSessionInClearOnceNothingWaits() async throws {
        let bench = try await Bench()
        try await bench.register("t", by: alice)
        try await bench.register("u", by: bob)
        _ = try await bench.archive(["SECRETSESSION"], by: alice)
        _ = try await bench.archive(["SECRETSESSION"], by: bob)
        let raw = try Connection(bench.folder.database, access: .read)
        let sessions = try raw.all("SELECT session FROM archived") { row in try row.bytes(0) }
        #expect(Set(sessions).count == 2)
        _ = try await bench.archive([], by: alice)
        _ = try await bench.post("e", in: "SECRETSESSION", to: [alice], by: carol)
        let count: SQL = "SELECT count(*) FROM notification"
        #expect(try raw.value(count, as: Int.self) == 1)
        try await bench.settle(try await bench.claim().map { .delivered($0) })
        #expect(try raw.value(count, as: Int.self) == 0)
        await bench.store.close()
    }

    @Test func theStoreAgreesWithAModelOverManyRandomCommands() async throws {
        let bench = try await Bench()
        var random = SeededGenerator(seed: 8)
        var devices: [String: UInt64] = [:]
        var archived: [UInt64: Set<String>] = [:]
        var failures: [String] = []
        let tokens = (0..<6).map { "t\($0)" }
        let sessions = ["a", "b", "c"]
        for step in 0..<Proof.count(400, in: "LINKSTR_PUSH_STEPS") {
            let who = UInt64.random(in: 1...3, using: &random)
            let account = Bytes32(words: 0, 0, 0, who)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let token = tokens.randomElement(using: &random) ?? "t0"
                try await bench.register(token, by: account)
                let before = devices.updateValue(who, forKey: token)
                if let before, !devices.values.contains(before) { archived[before] = nil }
            case 1:
                let token = tokens.randomElement(using: &random) ?? "t0"
                let body: JSONValue = ["device_token": .string(token)]
                try await bench.perform(.unregister(DeviceRemoval(json: body.json)), by: account)
                if devices[token] == who { devices[token] = nil }
                if !devices.values.contains(who) { archived[who] = nil }
            case 2:
                let some = Set(sessions.filter { _ in Bool.random(using: &random) })
                _ = try await bench.archive(some.sorted(), by: account)
                if devices.values.contains(who) { archived[who] = some }
            case 3:
                let known = sessions.filter { _ in Bool.random(using: &random) }
                let some = known.filter { _ in Bool.random(using: &random) }
                _ = try await bench.archive(some, known: known, by: account)
                if devices.values.contains(who) {
                    archived[who] = archived[who, default: []].subtracting(known).union(some)
                }
            default:
                let session = sessions.randomElement(using: &random) ?? "a"
                let everybody = (1...3).map { Bytes32(words: 0, 0, 0, $0) }
                let reply = try await bench.post("e\(step)", in: session, to: everybody, by: account)
                let told = (1...3).filter { UInt64($0) != who }.map { UInt64($0) }.filter { other in
                    devices.values.contains(other) && !archived[other, default: []].contains(session)
                }
                let count = devices.values.filter { told.contains($0) }.count
                if reply != .queued(recipients: told.count, devices: count) { failures.append("\(step): \(reply)") }
            }
        }
        #expect(failures.isEmpty)
        #expect(try await bench.store.counts().devices == devices.count)
        await bench.store.close()
    }

    @Test func aFullStorageRefusesWhatNeedsMoreUntilSomethingHasGone() async throws {
        let bench = try await Bench { $0.storage = 400 * 1024 }
        try await bench.register("t", by: alice)
        try await bench.register("u", by: bob)
        // Every request is of another key, as from somebody who has many.
        var refused: NonceClaim?
        var accepted = 0
        while refused == nil, accepted < 10_000 {
            let key = SecureRandom.bytes32()
            let reply = try await bench.post("e\(accepted)", to: [alice, bob], by: key)
            if reply == .storageFull { refused = NonceClaim(account: key, nonce: "again") } else { accepted += 1 }
        }
        #expect((100..<5_000).contains(accepted))
        let counts = try await bench.store.counts()
        #expect(counts.jobs == accepted * 2)
        #expect(counts.bytes < 500 * 1024)
        for _ in 0..<100 {
            #expect(try await bench.post("more", to: [alice], by: SecureRandom.bytes32()) == .storageFull)
        }
        #expect(try await bench.store.counts() == counts)
        let claim = try #require(refused)
        let registration = try DeviceRegistration(
            json: Array(#"{"device_token":"v","apns_environment":"sandbox"}"#.utf8)
        )
        #expect(try await bench.store.perform(.register(registration), for: claim, now: 1000) == .storageFull)
        // What takes something away is done, and its jobs go with the device.
        let removal = try DeviceRemoval(json: Array(#"{"device_token":"u"}"#.utf8))
        #expect(try await bench.perform(.unregister(removal), by: bob) == .done)
        #expect(try await bench.store.counts().jobs == accepted)
        // The nonce was not used up. Nobody is told twice.
        #expect(try await bench.store.perform(.register(registration), for: claim, now: 1000) == .added(1))
        #expect(try await bench.post("e0", to: [alice], by: carol) == .queued(recipients: 0, devices: 0))
        // The queue empties by itself, and then nonces go.
        _ = try await bench.claim(10_000, ends: 2_000_000, at: 1_000_000)
        #expect(
            try await bench.post("later", to: [alice], by: carol, at: 1_000_000) == .queued(recipients: 1, devices: 1)
        )
        #expect(try await bench.store.counts().jobs == 1)
    }

    @Test func aStorageFullOfWhatHasBeenToldForgetsAllButTheLastHour() async throws {
        let bench = try await Bench { $0.storage = 400 * 1024 }
        let everybody = (1...30).map { Bytes32(words: 1, 0, 0, $0) }
        for (number, one) in everybody.enumerated() { try await bench.register("t\(number)", by: one) }
        /// Tells everybody of events until there is no room; nothing waits.
        func fill(at now: Int64) async throws -> Int {
            for count in 0..<1_000 {
                let event = SecureRandom.bytes32().hex
                if try await bench.post(event, to: everybody, by: carol, at: now) == .storageFull { return count }
                try await bench.settle(try await bench.claim(ends: now + 1, at: now).map { .delivered($0) })
            }
            return 1_000
        }
        let first = try await fill(at: 1_000)
        #expect((10..<1_000).contains(first))
        // Nonces have gone by then, and little else.
        let second = try await fill(at: 3_601_000)
        #expect(second < first / 2)
        #expect(try await fill(at: 3_601_001) > first / 2)
        await bench.store.close()
    }
}

extension ClaimedJobs {
    fileprivate static func none(expired: Int) -> ClaimedJobs { ClaimedJobs(jobs: [], expired: expired) }
}

import LinkstrPush
import NostrCrypto
import NostrEvents
import SQLite
import Testing

@Suite struct ImportTests {
    private static let now: Int64 = 1_800_000_000_000
    private let alice = "0000000000000000000000000000000000000000000000000000000000000001"
    private let bob = "0000000000000000000000000000000000000000000000000000000000000002"

    private func store(_ folder: Folder) async throws -> SQLitePushStore {
        try await SQLitePushStore(folder.database, now: Self.now)
    }

    private func post(_ event: String, in session: String, to account: String, _ store: SQLitePushStore) async throws
        -> PushReply
    {
        let body: JSONValue = [
            "notification_type": "new_post", "event_id": .string(event), "conversation_id": .string(session),
            "recipient_pubkeys": [.string(account)],
        ]
        let request = try PushRequest(json: body.json)
        let job = PushJobRequest(
            notification: try PushNotification(request, isPrivate: false),
            event: request,
            recipients: [try Bytes32(hex: account)],
            expires: Self.now + 900_000
        )
        let claim = NonceClaim(account: .zero, nonce: SecureRandom.bytes32().hex)
        return try await store.perform(.enqueue(job), for: claim, now: Self.now)
    }

    /// The earlier service's database, with rows that can and cannot be used.
    private func makeSource(_ folder: Folder) throws -> Location {
        let location = Location.file(folder.path + "/old.db")
        let source = try Connection(location)
        try source.script(
            """
            CREATE TABLE devices(pubkey TEXT, device_token TEXT, apns_environment TEXT, updated_at TEXT);
            INSERT INTO devices VALUES
                ('0000000000000000000000000000000000000000000000000000000000000001', 'a1', 'sandbox', '2026-11-30T10:00:00Z'),
                ('0000000000000000000000000000000000000000000000000000000000000002', 'b1', 'Production', '2026-11-30 10:00:00'),
                ('no key', 'x', 'sandbox', ''),
                ('0000000000000000000000000000000000000000000000000000000000000002', 'b2', 'test', '');
            CREATE TABLE archived_conversations(pubkey TEXT, conversation_id TEXT);
            INSERT INTO archived_conversations VALUES
                ('0000000000000000000000000000000000000000000000000000000000000001', 'S'),
                ('0000000000000000000000000000000000000000000000000000000000000003', 'S');
            CREATE TABLE push_dedupe(event_id TEXT, notification_type TEXT, recipient_pubkey TEXT, created_at INTEGER);
            INSERT INTO push_dedupe VALUES
                ('told', 'new_post', '0000000000000000000000000000000000000000000000000000000000000002', 1799999000),
                ('old', 'new_post', '0000000000000000000000000000000000000000000000000000000000000002', 1700000000);
            CREATE TABLE push_jobs(
                id INTEGER PRIMARY KEY, event_id TEXT, notification_type TEXT, conversation_id TEXT, emoji TEXT, post_id TEXT,
                recipient_pubkey TEXT, device_token TEXT, apns_environment TEXT, attempts INTEGER, next_attempt_at INTEGER,
                expires_at INTEGER
            );
            INSERT INTO push_jobs VALUES
                (1, 'e1', 'new_emoji_reaction', 'T', '👍', 'p',
                    '0000000000000000000000000000000000000000000000000000000000000002', 'b1', 'production', 2, 1799999999,
                    1800000060),
                (2, 'e2', 'new_post', 'T', NULL, NULL,
                    '0000000000000000000000000000000000000000000000000000000000000002', 'b1', 'production', 0, 0, 1799999999),
                (3, 'e3', 'new_post', 'T', NULL, NULL,
                    '0000000000000000000000000000000000000000000000000000000000000003', 'none', 'production', 0, 0, 1800000060);
            """
        )
        return location
    }

    @Test func theEarlierServicesDatabaseIsTakenOverAndTakenAgainChangesNothing() async throws {
        let folder = try Folder()
        let source = try makeSource(folder)
        let store = try await store(folder)
        let report = try await PushImport(into: store).run(source, now: Self.now)
        var expected = PushImport.Report()
        (expected.devices, expected.archived, expected.told, expected.jobs, expected.skipped) = (2, 1, 1, 1, 6)
        #expect(report == expected)
        let again = try await PushImport(into: store).run(source, now: Self.now)
        #expect((again.devices, again.jobs) == (0, 0))
        let counts = try await store.counts()
        #expect(counts == PushCounts(accounts: 2, devices: 2, jobs: 1, bytes: counts.bytes))
        #expect(try await post("e", in: "S", to: alice, store) == .queued(recipients: 0, devices: 0))
        #expect(try await post("e", in: "T", to: alice, store) == .queued(recipients: 1, devices: 1))
        #expect(try await post("told", in: "T", to: bob, store) == .queued(recipients: 0, devices: 0))
        #expect(try await post("old", in: "T", to: bob, store) == .queued(recipients: 1, devices: 1))
        let lease = PushLease(owner: .zero, ends: Self.now + 1000)
        let jobs = try await store.claimJobs(upTo: 10, lease: lease, now: Self.now).jobs
        let job = try #require(jobs.first)
        #expect(job.notification.collapseID == "e1")
        #expect(job.target == PushTarget(token: "b1", environment: .production))
        #expect(job.failures == 2)
        #expect(job.expires == 1_800_000_060_000)
        #expect(try JSONValue(json: job.notification.payload)["post_id"] == "p")
        try await store.settle(jobs.map { .delivered($0) }, lease: lease)
        await store.close()
    }

    @Test func anotherProgramsDatabaseIsRefusedAndSoIsAnUnknownColumn() async throws {
        let folder = try Folder()
        let store = try await store(folder)
        let other = Location.file(folder.path + "/other.db")
        let connection = try Connection(other)
        try connection.script("CREATE TABLE something(a TEXT)")
        await #expect(throws: PushImport.Failure.noDevices) {
            try await PushImport(into: store).run(other, now: Self.now)
        }
        try connection.script(
            """
            CREATE TABLE devices(pubkey TEXT, handle TEXT, apns_environment TEXT);
            INSERT INTO devices VALUES
                ('0000000000000000000000000000000000000000000000000000000000000001', 'a', 'sandbox');
            """
        )
        await #expect(
            throws: PushImport.Failure.noColumn(
                table: "devices",
                what: "token",
                columns: ["apns_environment", "handle", "pubkey"]
            )
        ) { try await PushImport(into: store).run(other, now: Self.now) }
        let missing = Location.file(folder.path + "/none.db")
        await #expect(throws: SQLiteError.notFound(path: missing.path)) {
            try await PushImport(into: store).run(missing, now: Self.now)
        }
        #expect(try await store.counts().devices == 0)
        await store.close()
    }
}

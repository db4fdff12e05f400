internal import NostrCrypto
internal import SQLite

/// The commands on an open transaction.
struct PushTables {
    let connection: Connection
    let salt: [UInt8]
    let limits: PushLimits

    /// For how long it is remembered that an account was told of an event, in milliseconds.
    static let toldMemory: Int64 = 30 * 86_400_000
    /// The same when the storage is full, the second where the first has not made room: who repeats a request does so within minutes.
    static let toldMemoriesWhenFull: [Int64] = [86_400_000, 3_600_000]

    func perform(_ command: PushCommand, for claim: NonceClaim, now: Int64) throws -> PushReply {
        // Before the nonce: the same request may come again. What takes something away is still done for a while.
        let most = command.onlyFrees ? limits.storage + limits.storage / 4 : limits.storage
        guard try size() < most else { return .storageFull }
        guard try claimNonce(claim, now) else { return .nonceUsed }
        switch command {
        case .nothing: return .done
        case .register(let registration): return try register(registration, claim.account, now) ? .added(1) : .done
        case .unregister(let removal):
            try unregister(removal, claim.account)
            return .done
        case .archive(let state):
            guard let added = try archive(state, claim.account) else { return .tooManyArchived }
            return added > 0 ? .added(added) : .done
        case .enqueue(let request): return try enqueue(request, from: claim.account, now)
        }
    }

    /// Forgets nonces and what was told that are too old by now. Before every group of commands.
    func prune(_ now: Int64) throws {
        try connection.execute("DELETE FROM nonce WHERE seen < ?1", now - PushAuthorization.nonceMemory * 1000)
        try connection.execute("DELETE FROM told WHERE at < ?1", now - Self.toldMemory)
        for memory in Self.toldMemoriesWhenFull {
            guard try size() >= limits.storage else { return }
            try connection.execute("DELETE FROM told WHERE at < ?1", now - memory)
        }
    }

    /// How many bytes of the database are in use; what was freed and not given back to the file system does not count.
    func size() throws -> Int {
        let pages: Int = try connection.value("PRAGMA page_count") ?? 0
        let free: Int = try connection.value("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try connection.value("PRAGMA page_size") ?? 4096)
    }

    private func claimNonce(_ claim: NonceClaim, _ now: Int64) throws -> Bool {
        // 128 bits of the hash are enough to tell nonces apart.
        try connection.execute(
            "INSERT INTO nonce(account, digest, seen) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            claim.account.array,
            Array(SHA256.hash(claim.nonce).array.prefix(16)),
            now
        )
        return connection.changes == 1
    }

    // MARK: Devices

    func account(_ pubkey: Bytes32) throws -> Int64? {
        try connection.value("SELECT id FROM account WHERE pubkey = ?1", pubkey.array)
    }

    /// True for a device that was not known, or belonged to another account.
    @discardableResult
    func register(_ registration: DeviceRegistration, _ pubkey: Bytes32, _ now: Int64) throws -> Bool {
        let known: (id: Int64, account: Int64)? = try connection.first(
            "SELECT id, account FROM device WHERE token = ?1",
            registration.token
        ) { row in (try row.integer(0), try row.integer(1)) }
        if let known {
            if known.account == (try account(pubkey)) {
                try connection.execute(
                    "UPDATE device SET environment = ?2, version = version + 1, registered = ?3 WHERE id = ?1",
                    known.id,
                    registration.environment.rawValue,
                    now
                )
                return false
            }
            try remove(device: known.id, of: known.account)
        }
        try connection.execute(
            "INSERT INTO account(pubkey) VALUES (?1) ON CONFLICT DO NOTHING",
            pubkey.array
        )
        guard let account = try account(pubkey) else { return false }
        try connection.execute(
            "INSERT INTO device(account, token, environment, version, registered) VALUES (?1, ?2, ?3, 1, ?4)",
            account,
            registration.token,
            registration.environment.rawValue,
            now
        )
        let surplus = try connection.all(
            "SELECT id FROM device WHERE account = ?1 ORDER BY registered DESC, id DESC LIMIT -1 OFFSET ?2",
            account,
            max(1, limits.devicesPerAccount)
        ) { row in try row.integer(0) }
        for device in surplus { try remove(device: device, of: account) }
        return true
    }

    private func unregister(_ removal: DeviceRemoval, _ pubkey: Bytes32) throws {
        guard let account = try account(pubkey),
            let device: Int64 = try connection.value(
                "SELECT id FROM device WHERE token = ?1 AND account = ?2",
                removal.token,
                account
            )
        else { return }
        try remove(device: device, of: account)
    }

    /// With its jobs; and with the archive state of its account if it was the last.
    func remove(device: Int64, of account: Int64) throws {
        let notifications = try connection.all(
            "DELETE FROM job WHERE device = ?1 RETURNING notification",
            device
        ) { row in try row.integer(0) }
        for notification in Set(notifications) { try removeIfDone(notification) }
        try connection.execute("DELETE FROM device WHERE id = ?1", device)
        try connection.execute(
            "DELETE FROM account WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM device WHERE account = ?1)",
            account
        )
    }

    /// A notification may hold a session's id in clear: it goes with its last job.
    func removeIfDone(_ notification: Int64) throws {
        try connection.execute(
            "DELETE FROM notification WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM job WHERE notification = ?1)",
            notification
        )
    }

    // MARK: Archive state

    func session(_ conversationID: String, of pubkey: Bytes32) -> [UInt8] {
        var hash = SHA256()
        hash.update(salt)
        hash.update(pubkey)
        hash.update(Array(conversationID.utf8))
        return Array(hash.finalize().array.prefix(16))
    }

    /// How many are archived that were not; nil when they would be too many, and nothing was changed.
    private func archive(_ state: ArchiveState, _ pubkey: Bytes32) throws -> Int? {
        guard let account = try account(pubkey) else { return 0 }
        let archived = state.archived.map { session($0, of: pubkey) }
        let before = Set(
            try connection.all("SELECT session FROM archived WHERE account = ?1", account) { row in try row.bytes(0) }
        )
        let about = state.known.map { Set($0.map { session($0, of: pubkey) }) } ?? before
        let cleared = before.intersection(about).subtracting(archived)
        let added = Set(archived).subtracting(before)
        guard added.isEmpty || before.count - cleared.count + added.count <= limits.archivedPerAccount else {
            return nil
        }
        for session in cleared {
            try connection.execute("DELETE FROM archived WHERE account = ?1 AND session = ?2", account, session)
        }
        for session in added { try add(archived: session, to: account) }
        return added.count
    }

    func add(archived session: [UInt8], to account: Int64) throws {
        try connection.execute(
            "INSERT INTO archived(account, session) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            account,
            session
        )
        let notifications = try connection.all(
            """
            DELETE FROM job WHERE session = ?2 AND device IN (SELECT id FROM device WHERE account = ?1)
                RETURNING notification
            """,
            account,
            session
        ) { row in try row.integer(0) }
        for notification in Set(notifications) { try removeIfDone(notification) }
    }

    // MARK: Queue

    private func enqueue(_ request: PushJobRequest, from sender: Bytes32, _ now: Int64) throws -> PushReply {
        let event = Self.key(of: request.event)
        var notification: Int64?
        var recipients = 0
        var devices = 0
        for recipient in request.recipients where recipient != sender {
            guard let account = try account(recipient) else { continue }
            let session = session(request.event.conversationID, of: recipient)
            let isArchived: Int64? = try connection.value(
                "SELECT 1 FROM archived WHERE account = ?1 AND session = ?2",
                account,
                session
            )
            guard isArchived == nil else { continue }
            try connection.execute(
                "INSERT INTO told(event, recipient, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                event,
                recipient.array,
                now
            )
            guard connection.changes == 1 else { continue }
            let id = try notification ?? add(request.notification, expires: request.expires)
            notification = id
            try connection.execute(
                """
                INSERT INTO job(notification, device, session, due, failures)
                    SELECT ?1, id, ?2, ?3, 0 FROM device WHERE account = ?4 ORDER BY id
                """,
                id,
                session,
                now,
                account
            )
            recipients += 1
            devices += connection.changes
        }
        return .queued(recipients: recipients, devices: devices)
    }

    func add(_ notification: PushNotification, expires: Int64) throws -> Int64 {
        try connection.execute(
            "INSERT INTO notification(collapse, payload, expires) VALUES (?1, ?2, ?3)",
            notification.collapseID,
            notification.payload,
            expires
        )
        return connection.lastInsertedRow
    }

    /// What an account is told of only once: an event of a kind. 128 bits of a hash tell events apart.
    static func key(of event: PushRequest) -> [UInt8] {
        key(ofEvent: event.eventID, kind: event.kind)
    }

    static func key(ofEvent id: String, kind: PushRequest.Kind) -> [UInt8] {
        Array(SHA256.hash(kind.rawValue + " " + id).array.prefix(16))
    }
}

internal import NostrCrypto
internal import SQLite

/// The tables that are taken over.
enum ImportedTable: String, CaseIterable {
    case devices
    case archived = "archived conversations"
    case told = "dedupe"
    case jobs = "push jobs"

    /// The names that it may have, and how it is read: statements are literals.
    var candidates: [(name: String, query: SQL)] {
        switch self {
        case .devices:
            [("devices", "SELECT * FROM devices"), ("device_registrations", "SELECT * FROM device_registrations")]
        case .archived:
            [
                ("archived_conversations", "SELECT * FROM archived_conversations"),
                ("conversation_archive_states", "SELECT * FROM conversation_archive_states"),
            ]
        case .told:
            [
                ("push_dedupe", "SELECT * FROM push_dedupe"), ("dedupe", "SELECT * FROM dedupe"),
                ("push_event_dedupe", "SELECT * FROM push_event_dedupe"),
                ("notification_dedupe", "SELECT * FROM notification_dedupe"),
            ]
        case .jobs: [("push_jobs", "SELECT * FROM push_jobs"), ("jobs", "SELECT * FROM jobs")]
        }
    }
}

/// The columns that something may be in.
enum ImportedColumn {
    case pubkey, token, environment, conversation, event, kind, emoji, post, created, expires, due, attempts

    var candidates: [String] {
        switch self {
        case .pubkey: ["pubkey", "recipient_pubkey", "owner_pubkey", "account_pubkey", "recipient"]
        case .token: ["device_token", "token"]
        case .environment: ["apns_environment", "environment"]
        case .conversation: ["conversation_id", "session_id"]
        case .event: ["event_id"]
        case .kind: ["notification_type", "type"]
        case .emoji: ["emoji"]
        case .post: ["post_id"]
        case .created: ["created_at", "updated_at", "registered_at", "seen_at"]
        case .expires: ["expires_at", "expiry", "expiration"]
        case .due: ["due_at", "next_attempt_at", "available_at", "run_at"]
        case .attempts: ["attempts", "attempt_count", "failures"]
        }
    }
}

/// A database of another program, opened for reading.
struct ImportedTables {
    private let connection: Connection
    private let names: Set<String>

    init(_ location: Location) throws {
        connection = try Connection(location, access: .read)
        names = Set(
            try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { row in try row.text(0) }
        )
    }

    func has(_ table: ImportedTable) -> Bool {
        table.candidates.contains { names.contains($0.name) }
    }

    func rows(_ table: ImportedTable) throws -> ImportedRows? {
        guard let (name, query) = table.candidates.first(where: { names.contains($0.name) }) else { return nil }
        return ImportedRows(table: name, cursor: try connection.cursor(query))
    }
}

/// The rows of a table, one after the other.
struct ImportedRows {
    let table: String
    let cursor: Cursor

    func next() throws -> ImportedRow? {
        try cursor.next { row in
            var values: [String: ImportedRow.Value] = [:]
            for column in 0..<row.count {
                let value: ImportedRow.Value
                if let text = try? row.text(column) {
                    value = .text(text)
                } else if let number = try? row.integer(column) {
                    value = .integer(number)
                } else {
                    value = .other
                }
                values[row.name(column).lowercased()] = value
            }
            return ImportedRow(table: table, values: values)
        }
    }
}

/// A row by the names of its columns.
struct ImportedRow: Sendable {
    enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
        case other
    }

    let table: String
    let values: [String: Value]

    /// - Throws: ``PushImport/Failure/noColumn(table:what:columns:)`` when the table has no such column.
    private func value(_ what: String, _ column: ImportedColumn) throws -> Value {
        guard let value = optional(column) else {
            throw PushImport.Failure.noColumn(table: table, what: what, columns: values.keys.sorted())
        }
        return value
    }

    private func optional(_ column: ImportedColumn) -> Value? {
        column.candidates.lazy.compactMap { values[$0] }.first
    }

    func text(_ what: String, _ column: ImportedColumn) throws -> String? {
        guard case .text(let text) = try value(what, column), !text.trimmedOfBlanks.isEmpty else { return nil }
        return text.trimmedOfBlanks
    }

    func optionalText(_ column: ImportedColumn) -> String? {
        guard case .text(let text) = optional(column), !text.isEmpty else { return nil }
        return text
    }

    func optionalNumber(_ column: ImportedColumn) -> Int64? {
        guard case .integer(let number) = optional(column) else { return nil }
        return number
    }

    func pubkey() throws -> Bytes32? {
        try text("public key", .pubkey).flatMap { try? Bytes32(hex: $0) }
    }

    func kind() throws -> PushRequest.Kind? {
        try text("type", .kind).flatMap { PushRequest.Kind(rawValue: $0) }
    }

    func time(_ what: String, _ column: ImportedColumn) throws -> Int64? {
        Self.milliseconds(try value(what, column))
    }

    func optionalTime(_ column: ImportedColumn) -> Int64? {
        optional(column).flatMap(Self.milliseconds)
    }

    /// Seconds, milliseconds or nanoseconds since 1970, or a time as RFC 3339 and SQLite write it.
    private static func milliseconds(_ value: Value) -> Int64? {
        switch value {
        case .integer(let number):
            switch number {
            case 0..<100_000_000_000: number * 1000
            case 100_000_000_000..<100_000_000_000_000: number
            case 100_000_000_000_000...: number / 1_000_000
            default: nil
            }
        case .text(let text): ImportedTime.milliseconds(text)
        case .other: nil
        }
    }
}

/// Times as texts.
enum ImportedTime {
    /// `2026-11-30T10:00:00Z`, with a blank for the T, fractions of a second, and an offset such as `+01:00`. Milliseconds since
    /// 1970.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54 || bytes[10] == 0x20,
            bytes[13] == 0x3a, bytes[16] == 0x3a, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60,
            second < 61
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == 0x2e {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            fraction = number((digits.prefix(3) + [0x30, 0x30, 0x30]).prefix(3)) ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        var offset: Int64 = 0
        if let sign = rest.first, sign == 0x2b || sign == 0x2d, rest.count >= 6 {
            let start = rest.startIndex
            guard let hours = number(rest[(start + 1)..<(start + 3)]),
                let minutes = number(rest[(start + 4)..<(start + 6)])
            else { return nil }
            offset = (hours * 60 + minutes) * (sign == 0x2b ? 1 : -1)
        }
        let days = daysSince1970(year, month, day)
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + fraction
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }

    /// Of the Gregorian calendar, counted in years that begin in March.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}

struct ImportedDevice {
    let account: Bytes32
    let registration: DeviceRegistration
    let registered: Int64?

    init?(_ row: ImportedRow) throws {
        guard let account = try row.pubkey(), let token = try row.text("token", .token),
            let environment = try row.text("environment", .environment),
            let known = PushEnvironment(rawValue: environment.lowercased()), token.utf8.count <= PushBody.longestToken
        else { return nil }
        self.account = account
        registration = DeviceRegistration(token: token, environment: known)
        registered = row.optionalTime(.created)
    }
}

struct ImportedJob {
    let account: Bytes32
    let token: String
    let conversation: String
    let notification: PushNotification
    let expires: Int64
    let due: Int64
    let failures: Int64

    init?(_ row: ImportedRow, now: Int64, isPrivate: Bool) throws {
        guard let account = try row.pubkey(), let token = try row.text("token", .token),
            let conversation = try row.text("conversation", .conversation), let kind = try row.kind(),
            let event = try row.text("event", .event), let expires = try row.time("expiry", .expires), expires > now
        else { return nil }
        let request = PushRequest(
            kind: kind,
            eventID: event,
            conversationID: conversation,
            recipients: [],
            emoji: row.optionalText(.emoji),
            postID: row.optionalText(.post)
        )
        guard let notification = try? PushNotification(request, isPrivate: isPrivate) else { return nil }
        self.account = account
        self.token = token
        self.conversation = conversation
        self.notification = notification
        self.expires = min(expires, now + 15 * 60_000)
        due = row.optionalTime(.due) ?? now
        failures = min(max(0, row.optionalNumber(.attempts) ?? 0), 100)
    }
}

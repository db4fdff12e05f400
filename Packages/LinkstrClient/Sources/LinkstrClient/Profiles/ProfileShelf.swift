import NostrContacts
import NostrCrypto
import NostrEvents

/// The newest profiles that were seen: of contacts and the account itself they are kept, of others only remembered.
struct ProfileShelf: Sendable {
    private var records: [Bytes32: ProfileRecord] = [:]
    /// Not looked up again before this time, in seconds since 1970.
    private var pausedUntil: [Bytes32: Int64] = [:]
    /// The content of the newest own profile.
    var ownContent: String?

    static let document = "profiles"
    /// More are not remembered.
    private static let most = 20_000
    /// Seconds until a key without a profile is looked up again.
    private static let pause: Int64 = 300

    init() {}

    func record(of key: Bytes32) -> ProfileRecord? { records[key] }

    func name(of key: Bytes32) -> String? { records[key]?.name }

    /// Takes a profile; whether it is newer and counts now.
    mutating func apply(_ event: Event) -> Bool {
        guard let new = ProfileRecord(event) else { return false }
        guard var known = records[event.pubkey] else {
            guard records.count < Self.most else { return false }
            records[event.pubkey] = new
            return true
        }
        guard known.apply(event) else { return false }
        records[event.pubkey] = known
        return true
    }

    func isPaused(_ key: Bytes32, now: Int64) -> Bool { (pausedUntil[key] ?? 0) > now }

    mutating func pause(_ keys: some Sequence<Bytes32>, now: Int64) {
        pausedUntil = pausedUntil.filter { $0.value > now }
        for key in keys where pausedUntil.count < Self.most { pausedUntil[key] = now + Self.pause }
    }

    init(json: [UInt8]) {
        guard let object = try? JSONValue(json: json, limits: JSONLimits(size: 64 << 20)) else { return }
        ownContent = object["own"]?.string
        for row in object["names"]?.array ?? [] {
            guard let key = row["key"]?.string.flatMap({ try? Bytes32(hex: $0) }),
                let id = row["id"]?.string.flatMap({ try? EventID(hex: $0) }), let time = row["time"]?.integer
            else { continue }
            let version = ReplaceableVersion(createdAt: time, id: id)
            records[key] = ProfileRecord(key: key, version: version, name: row["name"]?.string)
        }
    }

    /// The document, with the profiles of these keys.
    func json(keeping keys: Set<Bytes32>) -> [UInt8] {
        let rows = records.values.filter { keys.contains($0.key) }.sorted { $0.key < $1.key }.map {
            record -> JSONValue in
            [
                "key": .string(record.key.hex), "id": .string(record.version.id.hex),
                "time": .integer(record.version.createdAt), "name": record.name.map { .string($0) } ?? .null,
            ]
        }
        return JSONValue.object(["own": ownContent.map { .string($0) } ?? .null, "names": .array(rows)]).json
    }
}

import NostrCrypto
import SQLite

/// Public keys as short numbers: rows name people by number, and who a number is stands sealed in one place.
final class People {
    private let connection: Connection
    private let sealer: Sealer
    private var numbers: [Bytes32: Int64] = [:]
    private var keys: [Int64: Bytes32] = [:]

    /// How many people are remembered between batches.
    private static let maximumCount = 20_000

    init(_ connection: Connection, _ sealer: Sealer) {
        self.connection = connection
        self.sealer = sealer
    }

    /// The number of a key that was met before.
    func known(_ key: Bytes32) throws -> Int64? {
        if let number = numbers[key] { return number }
        let found: Int64? = try connection.value(
            "SELECT number FROM person WHERE lookup = ?1",
            sealer.lookup(key)
        )
        if let found { remember(key, found) }
        return found
    }

    /// The number of a key, a new one if it is met for the first time.
    func number(_ key: Bytes32) throws -> Int64 {
        if let known = try known(key) { return known }
        let last: Int64? = try connection.value("SELECT number FROM person ORDER BY number DESC LIMIT 1")
        let number = (last ?? 0) + 1
        try connection.execute(
            "INSERT INTO person(number, lookup, sealed) VALUES (?1, ?2, ?3)",
            number,
            sealer.lookup(key),
            try sealer.seal(key.array, .person, row: number)
        )
        remember(key, number)
        return number
    }

    /// Who a number is; nil if that cannot be opened.
    func key(_ number: Int64) throws -> Bytes32? {
        if let key = keys[number] { return key }
        let sealed: [UInt8]? = try connection.value("SELECT sealed FROM person WHERE number = ?1", number)
        guard let sealed, let bytes = sealer.open(sealed, .person, row: number), let key = try? Bytes32(bytes) else {
            return nil
        }
        remember(key, number)
        return key
    }

    /// Forgets what was read, for instance because the batch that made it was rolled back.
    func forget() {
        numbers.removeAll()
        keys.removeAll()
    }

    private func remember(_ key: Bytes32, _ number: Int64) {
        if numbers.count >= Self.maximumCount { forget() }
        numbers[key] = number
        keys[number] = key
    }
}

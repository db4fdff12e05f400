import Locking
import NostrEvents

/// The addresses under which the database is served. Spellings of the same address are equal.
final class ServiceAddresses: Sendable {
    private let addresses = Locked<Set<String>>([])

    func add(_ urls: some Sequence<String>) {
        let plain = urls.map(Self.plain)
        addresses.withLock { $0.formUnion(plain) }
    }

    func contains(_ url: String) -> Bool {
        let plain = Self.plain(url)
        return addresses.withLock { $0.contains(plain) }
    }

    private static func plain(_ url: String) -> String {
        let normal = (try? RelayURL(url))?.text ?? url.lowercased()
        return normal.hasSuffix("/") ? String(normal.dropLast()) : normal
    }
}

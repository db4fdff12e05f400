public import NostrEvents
import Sockets

extension NetworkSettings {
    /// The settings as a person names them.
    public enum Key: String, CaseIterable, Sendable {
        /// The SOCKS5 proxy.
        case proxy
        /// Certificates that are trusted beside those of the system.
        case extraAuthorities = "extra_ca"

        /// What it does, and what it tells others.
        public var summary: String {
            switch self {
            case .proxy:
                "the SOCKS5 proxy, host:port, that every connection of this device goes through but those to its own relays on this "
                    + "machine; it sees which relays are used"
            case .extraAuthorities:
                "a PEM file of issuers that are trusted beside those of the system; whoever holds their keys can read along"
            }
        }
    }

    /// A setting as text; nil where it is not set, which is the default.
    public subscript(key: Key) -> String? {
        switch key {
        case .proxy: proxy
        case .extraAuthorities: extraAuthorities
        }
    }

    /// Changes a setting; nil takes it out.
    /// - Throws: ``Problem``, also for a file of issuers that cannot be used now.
    public mutating func set(_ key: Key, to text: String?) throws(Problem) {
        var changed = self
        switch key {
        case .proxy: try changed.setProxy(text)
        case .extraAuthorities: changed.extraAuthorities = text
        }
        var trial = Connector()
        try changed.apply(to: &trial)
        self = changed
    }

    /// A setting as `config.list` gives those of an account: `key`, `value`, `default`, `summary`.
    public func value(_ key: Key) -> JSONValue {
        [
            "key": .string(key.rawValue), "value": self[key].map { .string($0) } ?? .null, "default": .null,
            "summary": .string(key.summary),
        ]
    }
}

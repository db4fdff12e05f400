import LinkMetadata
import NostrCrypto
public import NostrEvents
import NostrTransport
public import Sockets
import WebSocket

/// How this device reaches the network, for all its accounts.
public struct NetworkSettings: Hashable, Sendable {
    /// A SOCKS5 proxy as `host:port`, through which everything goes but what is for a relay of the person's choice on this machine, and
    /// which looks names up; nil: none.
    public private(set) var proxy: String?
    /// A PEM file of issuers that are trusted beside those of the system; nil: none.
    public var extraAuthorities: String?

    /// No proxy and no further issuers.
    public init() {}

    /// Why a setting is not taken.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text is no host and port.
        case notAProxy(String)
        /// The file of issuers cannot be used.
        case authorities(path: String, SocketsError)

        public var description: String {
            switch self {
            case .notAProxy(let text):
                "\(TypedText.repeated(text)) is no proxy: type host and port, for example 127.0.0.1:9050."
            case .authorities(let path, let error): "The issuers in \(path) cannot be used: \(error)"
            }
        }
    }

    /// Sets the proxy; nil takes it out.
    /// - Parameter text: `host:port`, with or without `socks5://` before it; an IPv6 address in brackets.
    /// - Throws: ``Problem/notAProxy(_:)``.
    public mutating func setProxy(_ text: String?) throws(Problem) {
        guard let text else {
            proxy = nil
            return
        }
        guard SOCKS5Proxy(text) != nil else { throw .notAProxy(text) }
        proxy = text
    }

    /// Makes a connector go the way that is set.
    /// - Parameter relays: Relays of the person's choice. Those on this machine are reached without the proxy: nothing of it leaves the
    ///   machine, and a proxy that is elsewhere would look for them there.
    /// - Throws: ``Problem/authorities(path:_:)``, ``Problem/notAProxy(_:)``.
    public func apply(to connector: inout Connector, reaching relays: [RelayURL] = []) throws(Problem) {
        connector.direct = Set(relays.compactMap { LoopbackPlace(host: $0.host, port: $0.port) })
        if let proxy {
            guard let parsed = SOCKS5Proxy(proxy) else { throw .notAProxy(proxy) }
            connector.proxy = parsed
        }
        if let extraAuthorities {
            var configuration = TLSConfiguration()
            configuration.extraAuthoritiesFile = extraAuthorities
            do throws(SocketsError) {
                connector.tls = try TLSClient(configuration)
            } catch {
                throw .authorities(path: extraAuthorities, error)
            }
        }
    }

    // MARK: On disk

    init?(json: [UInt8]) {
        guard let object = try? JSONValue(json: json).object else { return nil }
        proxy = object["proxy"]?.string
        extraAuthorities = object["extra_authorities"]?.string
    }

    var json: [UInt8] {
        var object = JSONObject()
        object["proxy"] = proxy.map { .string($0) }
        object["extra_authorities"] = extraAuthorities.map { .string($0) }
        return JSONValue.object(object).json
    }
}

extension Home {
    private var network: String { configuration + "/network.json" }

    /// How this device reaches the network.
    /// - Throws: ``IdentityError/malformed(path:)`` for a file that cannot be read as such.
    public func networkSettings() throws(IdentityError) -> NetworkSettings {
        guard PrivateFile.exists(network) else { return NetworkSettings() }
        let json = try PrivateFile.read(network).withUnsafeBytes { Array($0) }
        guard let settings = NetworkSettings(json: json) else { throw .malformed(path: network) }
        return settings
    }

    /// Keeps how this device reaches the network.
    public func save(_ settings: NetworkSettings) throws(IdentityError) {
        guard settings != NetworkSettings() else {
            try PrivateFile.remove(network)
            return
        }
        try PrivateFile.makeDirectory(configuration)
        try PrivateFile.write(settings.json, to: network)
    }
}

extension ClientOptions {
    /// The options of a device: which of its relays others cannot reach, its proxy and its issuers.
    /// - Throws: ``ClientError/files(_:)``, ``ClientError/network(_:)``.
    public init(_ home: Home) throws(ClientError) {
        self.init()
        let relays: RelayList
        let network: NetworkSettings
        do throws(IdentityError) {
            relays = try home.relayList()
            network = try home.networkSettings()
        } catch {
            throw .files(error)
        }
        unreachableRelays = relays.unreachable
        guard network != NetworkSettings() else { return }
        do throws(NetworkSettings.Problem) {
            try network.apply(to: &transport.webSocket.connector, reaching: relays.enabled)
            try network.apply(to: &metadataFetcher.connector)
            try network.apply(to: &pushHTTP.connector)
        } catch {
            throw .network(error)
        }
    }
}

public import Sockets

/// Where a push service is reached, always by TLS.
public struct APNsHost: Sendable, Hashable {
    /// The name, which its certificate must have.
    public var name: String
    /// The port.
    public var port: UInt16

    /// A host of its name and port.
    public init(name: String, port: UInt16 = 443) {
        self.name = name
        self.port = port
    }
}

/// How a client reaches Apple and who it is.
public struct APNsConfiguration: Sendable {
    /// The app that notifications are for: its bundle id.
    public var topic: String
    /// Who signs the provider tokens.
    public var signer: APNsTokenSigner
    /// The hosts of the environments.
    public var hosts: [APNsEnvironment: APNsHost] = [
        .production: APNsHost(name: "api.push.apple.com"), .sandbox: APNsHost(name: "api.sandbox.push.apple.com"),
    ]
    /// How connections are opened; its TLS is replaced.
    public var connector = Connector()
    /// A file of certificates in PEM that are trusted beside the system's; for tests.
    public var extraAuthoritiesFile: String?
    /// How many requests may wait or be under way for each host.
    public var limit = 10_000
    /// A request that has waited for so long without anything having come over its connection, when its time is up, takes the
    /// connection for dead.
    public var silence: Duration = .seconds(5)
    /// Seconds since 1970, for the provider tokens.
    public var now: @Sendable () -> Int64

    /// Apple's hosts, for an app.
    public init(topic: String, signer: APNsTokenSigner, now: @escaping @Sendable () -> Int64) {
        self.topic = topic
        self.signer = signer
        self.now = now
    }
}

public import Sockets

/// How a gateway works.
public struct PushSettings: Sendable {
    /// Where it listens.
    public var address = SocketAddress.ip(.v4(0), port: 8787)
    /// Where metrics are served, at `/metrics`; nil for nowhere. They tell how many devices and accounts there are.
    public var metricsAddress: SocketAddress?
    /// What stands before `/v1` in the URL that clients use, without a slash at its end; it is part of the path that they sign.
    /// Requests are accepted with and without it, so that it does not matter whether a proxy removes it.
    public var pathPrefix = ""
    /// Proxies whose `X-Forwarded-For` is believed. If there are any, Unix sockets belong to them too.
    public var proxies: Set<IPAddress> = []
    /// Whether notifications tell neither what happened nor where.
    public var isPrivate = false
    /// What may be asked of it.
    public var limits = PushLimits()
    /// For how long a notification is of use.
    public var lifetime: Duration = .seconds(15 * 60)
    /// How many notifications are being sent at the same time.
    public var concurrency = 1_000
    /// How long a job is one worker's before others may take it; 30 seconds at least, which sending it and writing that down may take.
    public var leaseTime: Duration = .seconds(30)

    /// The defaults named at each.
    public init() {}
}

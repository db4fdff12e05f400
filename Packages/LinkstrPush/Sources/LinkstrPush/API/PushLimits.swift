/// What one client, one account and all together may cost a gateway.
public struct PushLimits: Sendable, Equatable {
    /// The greatest size of a request's body, in bytes. It is part of the interface.
    public static let bodySize = 65_536

    /// How often something may happen: a bucket that fills at a rate and is emptied one at a time.
    public struct Rate: Sendable, Equatable {
        /// How many may come at once.
        public var burst: Double
        /// How many more may come each second.
        public var perSecond: Double

        /// A rate of its two numbers, which are at least one and at least zero.
        public init(burst: Double, perSecond: Double) {
            self.burst = max(1, burst)
            self.perSecond = max(0, perSecond)
        }
    }

    /// Requests of one account.
    public var perAccount = Rate(burst: 100, perSecond: 10)
    /// Requests from one IPv4 address, or from one IPv6 network of 64 bits. Unix sockets are not limited.
    public var perAddress = Rate(burst: 400, perSecond: 100)
    /// What one account may have stored; see ``PushLimits/Weight``. Who is in debt waits until the bucket has filled again.
    public var storedPerAccount = Rate(burst: 20_000, perSecond: 10)
    /// What one IPv4 address or IPv6 network may have stored, with however many keys. Unix sockets are not limited.
    public var storedPerAddress = Rate(burst: 200_000, perSecond: 100)
    /// Requests of all clients together that turn out not to be signed: their signatures are what unknown clients cost.
    public var unauthenticated = Rate(burst: 1_000, perSecond: 500)
    /// How many accounts and addresses are remembered; of the others the count starts anew.
    public var remembered = 100_000
    /// How many open connections the gateway holds.
    public var connections = 1_000
    /// How many devices an account may have; one more replaces the one that was registered longest ago.
    public var devicesPerAccount = 64
    /// How many archived sessions of an account are remembered.
    public var archivedPerAccount = 20_000

    /// How many bytes the storage may use, from whomever they come: then new devices, notifications and archived sessions are refused
    /// until something has gone.
    public var storage = 4 << 30

    /// What counts how much: the longer it stays, the more.
    public enum Weight {
        /// A notification for one device, and that one recipient was told: minutes, and a row that goes when the storage is full.
        public static let notification = 1
        /// An archived session, which stays as long as the account has a device.
        public static let archived = 20
        /// A new device, which stays until it is unregistered or Apple names it gone.
        public static let device = 1_000
    }

    /// The numbers named at each.
    public init() {}
}

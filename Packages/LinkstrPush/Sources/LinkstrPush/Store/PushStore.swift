public import NostrCrypto

/// Where a gateway keeps devices, archive state and the queue. Each call is one transaction that survives a crash once it has
/// returned. Several gateways may use one store at a time.
public protocol PushStore: Sendable {
    /// Claims the nonce of a request and does what the request asks for, both or neither.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``PushStoreError``; then nothing of it was kept.
    func perform(_ command: PushCommand, for claim: NonceClaim, now: Int64) async throws -> PushReply

    /// Takes due jobs, earliest due first and then lowest id, so that nobody else gets them before the lease ends. Expired ones
    /// are removed.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - lease: whose they are, and until when.
    ///   - now: milliseconds since 1970.
    func claimJobs(upTo limit: Int, lease: PushLease, now: Int64) async throws -> ClaimedJobs

    /// Records what became of jobs.
    func settle(_ settlements: [PushSettlement], lease: PushLease) async throws

    /// How much there is, for metrics.
    func counts() async throws -> PushCounts

    /// Waits for what is under way, and closes.
    func close() async
}

/// What a store cannot do.
public enum PushStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// More waits to be written than the store holds.
    case overloaded
    /// The storage failed; the sentence says how and has no values.
    case failed(String)

    /// One plain sentence.
    public var description: String {
        switch self {
        case .overloaded: "Too much waits to be stored."
        case .failed(let sentence): sentence
        }
    }
}

/// What makes a request good for once.
public struct NonceClaim: Sendable, Equatable {
    /// The account that signed the request.
    public var account: Bytes32
    /// The nonce of the request.
    public var nonce: String

    /// A claim of its parts.
    public init(account: Bytes32, nonce: String) {
        self.account = account
        self.nonce = nonce
    }
}

/// What a request asks a store for.
public enum PushCommand: Sendable, Equatable {
    /// Nothing: the request was authentic and refused, and uses up its nonce.
    case nothing
    /// To tell a device from now on.
    case register(DeviceRegistration)
    /// To tell a device no more.
    case unregister(DeviceRemoval)
    /// To know which sessions are archived, and tell nothing of them.
    case archive(ArchiveState)
    /// To tell the devices of some accounts.
    case enqueue(PushJobRequest)

    /// Whether it takes up no more room than its nonce.
    var onlyFrees: Bool {
        switch self {
        case .nothing, .unregister: true
        case .register, .archive, .enqueue: false
        }
    }

    /// How much of a share of the storage it may take up.
    func mostWeight(_ limits: PushLimits) -> Double {
        switch self {
        case .nothing, .unregister: 0
        case .register: Double(PushLimits.Weight.device)
        case .archive(let state): Double(state.archived.count * PushLimits.Weight.archived)
        case .enqueue(let request):
            Double(request.recipients.count * PushLimits.Weight.notification) * (1 + Double(limits.devicesPerAccount))
        }
    }

    /// How much of a share of the storage it has taken up.
    func weight(of reply: PushReply) -> Int {
        switch (self, reply) {
        case (.register, .added(let count)): count * PushLimits.Weight.device
        case (.archive, .added(let count)): count * PushLimits.Weight.archived
        case (.enqueue, .queued(let recipients, let devices)): (recipients + devices) * PushLimits.Weight.notification
        default: 0
        }
    }
}

/// A notification for the devices of some accounts.
public struct PushJobRequest: Sendable, Equatable {
    /// What it is.
    public var notification: PushNotification
    /// What happened; told once to each recipient.
    public var event: PushRequest
    /// The accounts to tell. The sender is skipped.
    public var recipients: [Bytes32]
    /// When it is of no use any more, in milliseconds since 1970.
    public var expires: Int64

    /// A request of its parts.
    public init(notification: PushNotification, event: PushRequest, recipients: [Bytes32], expires: Int64) {
        self.notification = notification
        self.event = event
        self.recipients = recipients
        self.expires = expires
    }
}

/// What became of a command.
public enum PushReply: Sendable, Equatable {
    /// The nonce was used before; nothing was done.
    case nonceUsed
    /// It was done, and nothing more is stored than before.
    case done
    /// It was done, and so many devices or archived sessions are new.
    case added(Int)
    /// The account would have more archived sessions than are kept; only the nonce was used.
    case tooManyArchived
    /// There is no room; nothing was kept, not even the nonce.
    case storageFull
    /// How many accounts were newly told, and for how many devices.
    case queued(recipients: Int, devices: Int)
}

/// Who works on a job, and until when.
public struct PushLease: Sendable, Equatable {
    /// Different for each worker of each process.
    public var owner: Bytes32
    /// Milliseconds since 1970; others may take the job from then on.
    public var ends: Int64

    /// A lease of its parts.
    public init(owner: Bytes32, ends: Int64) {
        self.owner = owner
        self.ends = ends
    }
}

/// A notification for one device.
public struct PushJob: Sendable, Equatable {
    /// Its id in the store.
    public var id: Int64
    /// The device's id in the store.
    public var device: Int64
    /// Which registration of the device it is for.
    public var version: Int64
    /// The device.
    public var target: PushTarget
    /// The notification.
    public var notification: PushNotification
    /// Milliseconds since 1970.
    public var expires: Int64
    /// How often it has failed.
    public var failures: Int
    /// Whether another worker had it and did not say what became of it: it may have been sent.
    public var isReclaimed: Bool

    /// A job of its parts.
    public init(
        id: Int64,
        device: Int64,
        version: Int64,
        target: PushTarget,
        notification: PushNotification,
        expires: Int64,
        failures: Int,
        isReclaimed: Bool
    ) {
        self.id = id
        self.device = device
        self.version = version
        self.target = target
        self.notification = notification
        self.expires = expires
        self.failures = failures
        self.isReclaimed = isReclaimed
    }
}

/// Jobs that a worker may now send.
public struct ClaimedJobs: Sendable, Equatable {
    /// The jobs.
    public var jobs: [PushJob]
    /// How many were removed because they had expired.
    public var expired: Int

    /// Jobs of their parts.
    public init(jobs: [PushJob], expired: Int) {
        self.jobs = jobs
        self.expired = expired
    }
}

/// What became of a job.
public enum PushSettlement: Sendable, Equatable {
    /// It was sent.
    case delivered(PushJob)
    /// Its device is gone, unless it was registered anew meanwhile.
    case deviceGone(PushJob)
    /// It failed and is due again at a time, in milliseconds since 1970.
    case retry(PushJob, due: Int64)
    /// It was not tried, and is due now.
    case release(PushJob)

    /// The job's id.
    var job: Int64 {
        switch self {
        case .delivered(let job), .deviceGone(let job), .retry(let job, _), .release(let job): job.id
        }
    }
}

/// How much a store holds.
public struct PushCounts: Sendable, Equatable {
    /// Accounts with a device.
    public var accounts: Int
    /// Devices.
    public var devices: Int
    /// Notifications that wait.
    public var jobs: Int
    /// Bytes of storage that are in use.
    public var bytes: Int

    /// Counts of their parts.
    public init(accounts: Int, devices: Int, jobs: Int, bytes: Int) {
        self.accounts = accounts
        self.devices = devices
        self.jobs = jobs
        self.bytes = bytes
    }
}

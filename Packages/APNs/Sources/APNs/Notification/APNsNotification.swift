/// One notification for one device.
public struct APNsNotification: Sendable, Equatable {
    /// The device's token.
    public var deviceToken: String
    /// The JSON, at most 4,096 bytes; see ``APNsPayload/json()``.
    public var payload: [UInt8]
    /// What makes a later notification replace this one, 1 to 64 bytes; nil for nothing.
    public var collapseID: String?
    /// Until when Apple keeps it for a device that cannot be reached, in seconds since 1970; 0 for not at all.
    public var expiration: Int64 = 0
    /// 10 to show it at once, 5 when it suits the battery.
    public var priority = 10

    /// A notification of priority 10 that is not kept.
    public init(deviceToken: String, payload: [UInt8]) {
        self.deviceToken = deviceToken
        self.payload = payload
    }
}

/// Which of Apple's services knows a device.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// For apps that were installed by Xcode.
    case sandbox
    /// For apps from the App Store and TestFlight.
    case production
}

/// What Apple answered.
public struct APNsResponse: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The reason that came with a status other than 200; nil if there was none. It need not be known.
    public var reason: APNsReason?

    /// A response of its parts.
    public init(status: Int, reason: APNsReason? = nil) {
        self.status = status
        self.reason = reason
    }

    /// What it means for the sender.
    public var verdict: APNsVerdict {
        if status == 200 { return .delivered }
        if let verdict = reason?.verdict { return verdict }
        switch status {
        case 410: return .deviceGone
        case 429, 500...599: return .retryLater
        default: return .configuration
        }
    }
}

/// What a response means for the sender.
public enum APNsVerdict: Sendable, Equatable {
    /// Apple has it.
    case delivered
    /// The token is of no use any more, or never was: forget the device.
    case deviceGone
    /// Send it again later.
    case retryLater
    /// Somebody has to change the key, the topic or the program first.
    case configuration
}

/// A reason of Apple's (Apple: "Handling notification responses from APNs").
public struct APNsReason: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The word as Apple sends it.
    public var rawValue: String

    /// A reason of its word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// What the documented reasons mean; nil for others.
    public var verdict: APNsVerdict? { Self.documented[rawValue] }

    /// Every documented reason and what it means.
    public static let documented: [String: APNsVerdict] = [
        "BadCollapseId": .configuration,
        "BadDeviceToken": .deviceGone,
        "BadExpirationDate": .configuration,
        "BadMessageId": .configuration,
        "BadPriority": .configuration,
        "BadTopic": .configuration,
        "DeviceTokenNotForTopic": .deviceGone,
        "DuplicateHeaders": .configuration,
        "IdleTimeout": .retryLater,
        "InvalidPushType": .configuration,
        "MissingDeviceToken": .configuration,
        "MissingTopic": .configuration,
        "PayloadEmpty": .configuration,
        "TopicDisallowed": .configuration,
        "BadCertificate": .configuration,
        "BadCertificateEnvironment": .configuration,
        "BadEnvironmentKeyIdInToken": .configuration,
        "ExpiredProviderToken": .retryLater,
        "Forbidden": .configuration,
        "InvalidProviderToken": .configuration,
        "MissingProviderToken": .configuration,
        "UnrelatedKeyIdInToken": .configuration,
        "BadPath": .configuration,
        "MethodNotAllowed": .configuration,
        "ExpiredToken": .deviceGone,
        "Unregistered": .deviceGone,
        "PayloadTooLarge": .configuration,
        "TooManyProviderTokenUpdates": .retryLater,
        "TooManyRequests": .retryLater,
        "InternalServerError": .retryLater,
        "ServiceUnavailable": .retryLater,
        "Shutdown": .retryLater,
    ]

    /// Finds the reason in a body such as `{"reason":"BadDeviceToken"}`.
    package init?(body: [UInt8]) {
        let key = Array(#""reason""#.utf8)
        guard let at = body.indices.first(where: { body[$0...].starts(with: key) }) else { return nil }
        var rest = body[(at + key.count)...].drop { $0 == 0x20 || $0 == 0x09 }
        guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        let word = rest.prefix(while: APNsTokenSigner.isLetterOrDigit)
        guard (1...64).contains(word.count) else { return nil }
        rawValue = String(decoding: word, as: UTF8.self)
    }
}

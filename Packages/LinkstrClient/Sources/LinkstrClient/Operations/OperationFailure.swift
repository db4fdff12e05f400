import LinkstrLinks
public import LinkstrSessions
public import NostrContacts

/// Why an operation was not done: how a command ends with it, and a sentence without a full stop.
public struct OperationFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// How a process ends with it, after sysexits.
    public enum Code: Int32, Sendable, CaseIterable {
        /// What nobody has foreseen went wrong.
        case unexpected = 1
        /// The operation was called wrongly.
        case usage = 64
        /// The data that came in are wrong.
        case badInput = 65
        /// No such session, post, contact or account.
        case notFound = 66
        /// No relay took it.
        case unavailable = 69
        /// Reading or writing on this machine failed.
        case localIO = 74
        /// The time ran out; to try again may help.
        case timedOut = 75
        /// Not a member, not the creator, locked, or not confirmed.
        case notPermitted = 77
        /// Something is set up wrongly on this machine.
        case configuration = 78
    }

    /// How a process ends with it.
    public let code: Code
    /// What a person is told; never a secret.
    public let message: String

    /// A failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.hasSuffix(".") ? String(message.dropLast()) : message
    }

    /// What an error of the packages below means.
    public init(_ error: any Error) {
        self =
            switch error {
            case let failure as OperationFailure: failure
            case let error as ClientError: OperationFailure(error.code, error.description)
            case let error as OutgoingError: OperationFailure(error.code, error.description)
            case let error as SessionStoreError: OperationFailure(error.code, error.description)
            case let error as IdentityError: OperationFailure(error.code, error.description)
            case let error as RelayList.Problem: OperationFailure(error.code, error.description)
            case let error as LinkError: OperationFailure(.badInput, error.description)
            case is CancellationError: OperationFailure(.timedOut, "it was cancelled")
            default: OperationFailure(.unexpected, "\(error)")
            }
    }

    public var description: String { message }
}

extension ClientError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .noRelayEnabled, .onlyReadOnlyRelays, .refused, .notAccepted, .copiesRefused: .unavailable
        case .noRelayReached, .unconfirmed, .noAnswer, .profileConflict: .timedOut
        case .contacts(let error): error.code
        case .preferences: .unexpected
        case .noInbox, .metadata: .unavailable
        case .unknownChat: .notFound
        case .network, .noPushService: .configuration
        case .push(let error): error.code
        case .unknownDevice: .notFound
        case .messageTooLarge, .export, .invalidDeviceToken: .badInput
        case .unreachableInbox: .usage
        case .invalidKey: .badInput
        case .notPermitted(let error): error.code
        case .store(let error): error.code
        case .files(let error): error.code
        case .unknownSession, .unknownPost, .unknownAlias: .notFound
        case .ambiguousSession, .ambiguousPost, .ambiguousAlias: .usage
        }
    }
}

extension PushClientError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .invalidAddress, .insecureAddress: .configuration
        case .connection, .unavailable, .unexpectedAnswer: .unavailable
        case .notAuthorized: .notPermitted
        case .tooManyRequests: .timedOut
        case .refused: .badInput
        }
    }
}

extension OutgoingError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .unknownSession, .unknownPost: .notFound
        case .notAMember, .notTheCreator, .notTheAuthor, .unconfirmedCreator, .creatorLeftOut, .wouldNotCount:
            .notPermitted
        case .emptyName, .noteTooLong, .notOneEmoji, .tooLarge: .badInput
        }
    }
}

extension SessionStoreError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .keyMissing, .wrongKey, .invalidKey: .configuration
        case .inUse: .timedOut
        case .unknownSession, .unknownPost: .notFound
        case .notAClaimant: .notPermitted
        default: .localIO
        }
    }
}

extension ContactsError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .listUnknown, .shrinks: .notPermitted
        case .nameTooLong, .notMetadata: .badInput
        case .nothingReplaced, .noSuchVersion: .notFound
        case .conflict: .timedOut
        case .notSaved: .localIO
        case .clockBehind: .configuration
        default: .unexpected
        }
    }
}

extension IdentityError {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .noHome, .missingDataKey: .configuration
        case .system, .malformed: .localIO
        case .exposed, .notOwned, .locked, .wrongPassphrase: .notPermitted
        case .noAccount, .unknownAccount: .notFound
        case .ambiguousAccount: .usage
        case .accountExists, .invalidName: .badInput
        case .inUse: .timedOut
        }
    }
}

extension RelayList.Problem {
    /// How a process ends with it.
    public var code: OperationFailure.Code {
        switch self {
        case .notARelay: .usage
        case .duplicate: .badInput
        case .unknown: .notFound
        case .embedded: .notPermitted
        case .notEmbedded: .usage
        }
    }
}

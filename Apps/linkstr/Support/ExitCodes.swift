public import CommandKit
public import LinkMetadata
public import LinkstrLinks
public import NostrContacts
public import NostrCrypto
public import NostrEvents
public import NostrGiftWrap
public import NostrPreferences

extension CryptoError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .libraryFailure: .unexpected
        default: .badInput
        }
    }
}

extension EventError: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension LinkError: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension GiftWrapError: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension ChatMessage.Problem: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension ContactsError: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension PreferencesError: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}

extension LinkMetadataError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .unusableAddress: .badInput
        case .privateAddress: .notPermitted
        case .timedOut: .timedOut
        case .cancelled: .interrupted
        case .status, .unsupportedType, .nothingFound, .tooLarge, .network: .unavailable
        }
    }
}

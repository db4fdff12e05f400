import NostrCrypto
public import NostrEvents

/// One call of an operation: whose account it works on, its arguments, and who is told how far it is.
public struct OperationCall: Sendable {
    /// The account.
    public let runtime: AccountRuntime
    /// By the names of what the operation takes.
    public private(set) var arguments = JSONObject()
    /// How long it may wait for relays before it gives up; nil: as long as each sort of work waits by itself.
    public let timeout: Duration?
    private var operation = ""
    private let onWarning: @Sendable (String) -> Void
    private let onProgress: @Sendable (OperationProgress) -> Void

    /// A call, before its arguments are known.
    /// - Parameters:
    ///   - timeout: How long it may wait for relays before it gives up.
    ///   - onWarning: Told whole sentences that a person should know though the work goes on.
    ///   - onProgress: Told how far long work is.
    public init(
        _ runtime: AccountRuntime,
        timeout: Duration? = nil,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in }
    ) {
        self.runtime = runtime
        self.timeout = timeout
        self.onWarning = onWarning
        self.onProgress = onProgress
    }

    func with(_ arguments: JSONObject, of operation: String) -> OperationCall {
        var call = self
        call.arguments = arguments
        call.operation = operation
        return call
    }

    /// The same for calls that ask for the same.
    func key(in session: String) -> String {
        "\(operation) \(session) " + String(decoding: JSONValue.object(arguments).json, as: UTF8.self)
    }

    func warn(_ sentence: String) { onWarning(sentence) }
    func progress(_ progress: OperationProgress) { onProgress(progress) }

    /// The text of an argument that is always there.
    func text(_ name: String) -> String { arguments[name]?.string ?? "" }
    /// The text of an argument, if it was given.
    func optionalText(_ name: String) -> String? { arguments[name]?.string }
    /// Whether an argument is true.
    func flag(_ name: String) -> Bool { arguments[name]?.bool ?? false }
    /// The number of an argument, if it was given.
    func integer(_ name: String) -> Int64? { arguments[name]?.integer }

    /// The public key that an argument is.
    /// - Throws: ``OperationFailure`` for 32 bytes that are none.
    func key(_ name: String) throws -> PublicKey {
        try Self.key(text(name))
    }

    /// The public keys that an argument lists.
    /// - Throws: ``OperationFailure`` for 32 bytes that are none.
    func keys(_ name: String) throws -> [PublicKey] {
        try (arguments[name]?.array ?? []).map { try Self.key($0.string ?? "") }
    }

    private static func key(_ text: String) throws -> PublicKey {
        guard let bytes = try? Bytes32(hex: text), let key = try? PublicKey(bytes) else {
            throw OperationFailure(.badInput, "\(TypedText.repeated(text)) is no public key")
        }
        return key
    }
}

/// How far long work is.
public struct OperationProgress: Sendable, Equatable {
    /// What is counted, like `messages`.
    public let what: String
    /// How many are done.
    public let count: Int
    /// How many there will be, if that is known.
    public let total: Int?

    /// A state of the work.
    public init(_ what: String, count: Int, total: Int? = nil) {
        self.what = what
        self.count = count
        self.total = total
    }
}

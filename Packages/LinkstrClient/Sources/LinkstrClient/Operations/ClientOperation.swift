public import NostrEvents

/// Something that an account can be asked to do, with JSON in and out.
///
/// A command line without a daemon performs it on a runtime of its own, with one it sends the name and the arguments over the
/// control socket: either way the same code runs and the same objects come back, so nothing can differ.
///
/// ```swift
/// let posts = try await ClientOperation.feed.perform(["session": "Films"], OperationCall(runtime))
/// ```
public struct ClientOperation: Sendable {
    /// What it is called on the wire, like `session.new`.
    public let name: String
    /// One line, without a full stop.
    public let summary: String
    /// Whether it sends something, so that what relays hold must be read before recipients are chosen.
    public let sends: Bool
    /// What it takes; anything else is refused.
    public let takes: [OperationField]
    /// The members of each object that comes back; empty if none does.
    public let gives: [OperationField]
    private let run: @Sendable (OperationCall) async throws -> [JSONValue]

    init(
        _ name: String,
        _ summary: String,
        sends: Bool = false,
        takes: [OperationField] = [],
        gives: [OperationField] = [],
        run: @escaping @Sendable (OperationCall) async throws -> [JSONValue]
    ) {
        self.name = name
        self.summary = summary
        self.sends = sends
        self.takes = takes
        self.gives = gives
        self.run = run
    }

    /// Does it.
    /// - Parameters:
    ///   - arguments: By the names of ``takes``.
    ///   - call: Whose account, and who is told meanwhile.
    /// - Returns: Objects with the members of ``gives``, in that order.
    /// - Throws: ``OperationFailure``; nothing was sent and nothing stored then, unless the sentence says so.
    public func perform(_ arguments: JSONObject, _ call: OperationCall) async throws(OperationFailure) -> [JSONValue] {
        for member in arguments.members where !takes.contains(where: { $0.name == member.key }) {
            let known = takes.map(\.name).joined(separator: ", ")
            throw OperationFailure(.usage, "\(name) takes no \(TypedText.repeated(member.key)); it takes: \(known)")
        }
        for field in takes {
            guard let value = arguments[field.name], !value.isNull else {
                guard field.isOptional else { throw OperationFailure(.usage, "\(name) needs \(field.name)") }
                continue
            }
            guard field.kind.fits(value) else {
                throw OperationFailure(.usage, "\(field.name) of \(name) has to be \(field.kind.sentence)")
            }
        }
        do {
            let objects = try await call.withinTimeout { [run, name] in try await run(call.with(arguments, of: name)) }
            assert(objects.allSatisfy(isAsDeclared), "\(name) gave what it does not declare")
            return objects
        } catch {
            throw OperationFailure(error)
        }
    }

    /// Whether an object has the members of ``gives``, in their order, with values of their kinds; optional ones may be missing.
    public func isAsDeclared(_ value: JSONValue) -> Bool {
        guard var members = value.object?.members[...] else { return false }
        for field in gives {
            guard let member = members.first, member.key == field.name else {
                guard field.isOptional else { return false }
                continue
            }
            members.removeFirst()
            guard member.value.isNull ? field.isOptional : field.kind.fits(member.value) else { return false }
        }
        return members.isEmpty
    }

    /// The operation of a name.
    public static func named(_ name: String) -> ClientOperation? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Every operation.
    public static let all: [ClientOperation] =
        sessionOperations + requestOperations + postOperations + contactOperations
        + chatOperations + settingOperations + pushOperations + storageOperations + statusOperations + [sync]
}

public import NostrEvents

/// The side that asks and learns the difference (NIP-77). It is sans I/O: send ``openingMessage``, then hand each
/// answer to ``receive(_:)`` and send what that returns until it returns no message.
///
/// Each ID is reported exactly once. What the other side says is not proven: an event it lists may not exist.
public struct NegentropyClient<Items: NegentropySet> {
    /// What one answer brought.
    public struct Step: Sendable, Equatable {
        /// IDs that are here and not there.
        public var have: [EventID] = []
        /// IDs that are there and not here.
        public var need: [EventID] = []
        /// What to send next; nil when the whole difference has been reported.
        public var next: [UInt8]?
    }

    /// The first message to send.
    public let openingMessage: [UInt8]
    /// How many answers have been received.
    public private(set) var rounds = 0

    private let items: Items
    private let limits: NegentropyClientLimits
    private let frameSizeLimit: Int
    /// Known to differ (at first: everything), ascending, not yet asked about.
    private var pending: [Span] = [Span(lower: .zero, upper: .infinity)]
    /// Asked about in the last message, ascending; what an answer does not mention is equal.
    private var asked: [Span] = []

    /// - Parameters:
    ///   - items: what this side has.
    ///   - frameSizeLimit: bytes that a message may have (twice as many characters as hex); nil for no limit.
    ///   - limits: what a hostile server is allowed.
    /// - Throws: ``NegentropyError/frameSizeLimitTooSmall(minimum:)``, or what the set throws.
    public init(
        _ items: Items,
        frameSizeLimit: Int? = NegentropyFrame.defaultSize,
        limits: NegentropyClientLimits = NegentropyClientLimits()
    ) throws {
        self.items = items
        self.limits = limits
        self.frameSizeLimit = try NegentropyFrame.check(frameSizeLimit)
        (openingMessage, asked, pending) = try Self.ask(pending, of: items, limit: self.frameSizeLimit)
    }

    /// Takes the server's answer. After an error nothing has changed, and the reconciliation should be given up.
    ///
    /// - Throws: ``NegentropyError``, or what the set throws.
    public mutating func receive(_ message: [UInt8]) throws -> Step {
        guard !asked.isEmpty else { throw NegentropyError.unexpectedMessage }
        let version = try MessageReader.version(of: message)
        guard version == NegentropyFrame.version else { throw NegentropyError.unsupportedVersion(version) }
        guard rounds < limits.maximumRounds else { throw NegentropyError.tooManyRounds(limit: limits.maximumRounds) }

        var step = Step()
        var differing: [Span] = []
        var reader = MessageReader(message)
        var spans = SpanCursor(asked)
        while let entry = try reader.next() {
            switch entry.payload {
            case .skip:
                continue
            case .fingerprint(let theirs):
                let mine = try items.indices(from: entry.lower, to: entry.upper)
                if theirs == (try items.fingerprint(of: mine)) { continue }
                differing += spans.parts(from: entry.lower, to: entry.upper)
                guard differing.count + pending.count <= limits.maximumRanges else {
                    throw NegentropyError.tooManyRanges(limit: limits.maximumRanges)
                }
            case .idList(let list):
                guard spans.contains(from: entry.lower, to: entry.upper) else { throw NegentropyError.rangeNotAsked }
                let mine = try items.indices(from: entry.lower, to: entry.upper)
                Self.compare(try items.ids(in: mine), with: list.contents(), into: &step)
            }
        }
        let (next, nowAsked, nowPending) = try Self.ask(differing + pending, of: items, limit: frameSizeLimit)
        (asked, pending) = (nowAsked, nowPending)
        rounds += 1
        step.next = asked.isEmpty ? nil : next
        return step
    }

    private static func compare(_ mine: [EventID], with theirs: [EventID], into step: inout Step) {
        if mine == theirs { return }
        var missing = Set(theirs)
        for id in mine where missing.remove(id) == nil { step.have.append(id) }
        // In their order; what stands twice in the list is needed once.
        for id in theirs where missing.remove(id) != nil { step.need.append(id) }
    }

    /// Writes a message about as many spans as fit.
    private static func ask(
        _ spans: [Span],
        of items: Items,
        limit: Int
    ) throws -> (message: [UInt8], asked: [Span], pending: [Span]) {
        var writer = MessageWriter(limit: limit)
        var asked: [Span] = []
        var searched = 0
        for (position, span) in spans.enumerated() {
            let indices = try items.indices(from: span.lower, to: span.upper, after: searched)
            searched = indices.upperBound
            let described = try writer.describe(items, indices: indices, from: span.lower, to: span.upper)
            if described > span.lower {
                if let last = asked.last, last.upper == span.lower {
                    asked[asked.count - 1].upper = described
                } else {
                    asked.append(Span(lower: span.lower, upper: described))
                }
            }
            if described != span.upper {
                let rest = Span(lower: described, upper: span.upper)
                return (writer.message, asked, [rest] + spans[(position + 1)...])
            }
        }
        return (writer.message, asked, [])
    }
}

extension NegentropyClient: Sendable where Items: Sendable {}

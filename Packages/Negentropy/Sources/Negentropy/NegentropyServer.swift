/// The side that answers (NIP-77): it keeps nothing between messages.
///
/// A message costs at most one pass over the set and one search for each range in it, and no more memory than the
/// answer, which the frame size limit bounds.
public struct NegentropyServer<Items: NegentropySet> {
    private let items: Items
    private let limit: Int

    /// - Parameters:
    ///   - items: what this side has.
    ///   - frameSizeLimit: bytes that an answer may have (twice as many characters as hex); nil for no limit, which lets
    ///     a client ask for every ID at once.
    /// - Throws: ``NegentropyError/frameSizeLimitTooSmall(minimum:)``.
    public init(_ items: Items, frameSizeLimit: Int? = NegentropyFrame.defaultSize) throws(NegentropyError) {
        self.items = items
        limit = try NegentropyFrame.check(frameSizeLimit)
    }

    /// The answer to a client's message.
    ///
    /// A message of another version is answered with the single byte `0x61`, the highest version known here.
    ///
    /// - Throws: ``NegentropyError`` if the message is malformed, or what the set throws.
    public func respond(to message: [UInt8]) throws -> [UInt8] {
        guard try MessageReader.version(of: message) == NegentropyFrame.version else {
            return [NegentropyFrame.version]
        }
        var reader = MessageReader(message)
        var writer = MessageWriter(limit: limit == .max ? .max : limit - NegentropyFrame.remainderSize)
        var isFull = false
        var searched = 0
        while let entry = try reader.next() {
            // What does not fit is still read, so that a malformed message is refused whatever the limit is.
            if isFull { continue }
            if case .skip = entry.payload { continue }
            let indices = try items.indices(from: entry.lower, to: entry.upper, after: searched)
            searched = indices.upperBound
            let described: NegentropyBound
            switch entry.payload {
            case .skip:
                continue
            case .fingerprint(let theirs):
                if theirs == (try items.fingerprint(of: indices)) { continue }
                described = try writer.describe(items, indices: indices, from: entry.lower, to: entry.upper)
            case .idList(let list):
                if list.count == indices.count, list.contents() == (try items.ids(in: indices)) { continue }
                described = try writer.list(items, indices: indices, from: entry.lower, to: entry.upper)
            }
            isFull = described != entry.upper
        }
        if isFull { try writer.appendRemainder(items) }
        return writer.message
    }
}

extension NegentropyServer: Sendable where Items: Sendable {}

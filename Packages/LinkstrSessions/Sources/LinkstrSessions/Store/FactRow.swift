import LinkstrLinks
import NostrCrypto
import NostrEvents

/// The columns of a fact.
enum FactRow {
    enum Kind: Int64 {
        case create = 0
        case members = 1
        case sessionDelete = 2
        case root = 3
        case rootDelete = 4
        case reaction = 5
    }

    struct Flags: OptionSet {
        let rawValue: Int64
        static let unread = Flags(rawValue: 1)
        static let late = Flags(rawValue: 2)
        static let madeHere = Flags(rawValue: 4)
        static let active = Flags(rawValue: 8)
        /// A delete whose root was here and is gone.
        static let settled = Flags(rawValue: 16)
        /// A post that did not count when it came, and of which nobody was told.
        static let untold = Flags(rawValue: 32)
    }

    static func kind(_ statement: Fact.Statement) -> Kind {
        switch statement {
        case .snapshot(_, _, isCreate: true): .create
        case .snapshot(_, _, isCreate: false): .members
        case .sessionDelete: .sessionDelete
        case .root: .root
        case .rootDelete: .rootDelete
        case .reaction: .reaction
        }
    }

    /// What is sealed of a statement, nil where nothing is.
    static func body(_ statement: Fact.Statement) -> [UInt8]? {
        switch statement {
        case .snapshot(let name, let members, _):
            var bytes = text(name)
            bytes.reserveCapacity(bytes.count + 32 * members.count)
            for member in members { member.withUnsafeBytes { bytes.append(contentsOf: $0) } }
            return bytes
        case .root(let url, let note): return text(url.text) + text(note)
        case .sessionDelete, .rootDelete, .reaction: return nil
        }
    }

    static func snapshot(_ body: [UInt8], moment: Moment, isCreate: Bool) -> Snapshot? {
        var reader = BodyReader(rest: body[...])
        guard let name = try? reader.text(), reader.rest.count % 32 == 0 else { return nil }
        var members: [Bytes32] = []
        members.reserveCapacity(reader.rest.count / 32)
        while !reader.rest.isEmpty {
            guard let member = try? Bytes32(reader.rest.prefix(32)) else { return nil }
            members.append(member)
            reader.rest = reader.rest.dropFirst(32)
        }
        return Snapshot(moment: moment, name: name.text, members: members, isCreate: isCreate)
    }

    static func post(_ body: [UInt8], moment: Moment, sender: Bytes32) -> Post? {
        var reader = BodyReader(rest: body[...])
        guard let text = try? reader.text().text, let note = try? reader.text(), reader.rest.isEmpty,
            let url = try? WebURL(text)
        else { return nil }
        return Post(moment: moment, sender: sender, url: url, note: note.text)
    }

    /// Four bytes of length plus one, zero for none, then the text.
    private static func text(_ text: String?) -> [UInt8] {
        guard let text else { return [0, 0, 0, 0] }
        let count = UInt32(truncatingIfNeeded: text.utf8.count + 1)
        return withUnsafeBytes(of: count.littleEndian) { Array($0) } + Array(text.utf8)
    }
}

/// Reads what ``FactRow/body(_:)`` wrote.
private struct BodyReader {
    struct Malformed: Error {}

    struct OptionalText {
        let text: String?
    }

    var rest: ArraySlice<UInt8>

    mutating func text() throws(Malformed) -> OptionalText {
        guard rest.count >= 4 else { throw Malformed() }
        let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        if count == 0 { return OptionalText(text: nil) }
        guard count - 1 <= rest.count, let text = String(validating: rest.prefix(count - 1), as: UTF8.self) else {
            throw Malformed()
        }
        rest = rest.dropFirst(count - 1)
        return OptionalText(text: text)
    }
}

extension EventID {
    /// The first 64 bits as a number that orders as ids do. Nobody finds many ids that share them, and what is found by it is
    /// compared in full.
    var prefix: Int64 { Int64(bitPattern: bytes.words.0.bigEndian ^ 1 << 63) }
}

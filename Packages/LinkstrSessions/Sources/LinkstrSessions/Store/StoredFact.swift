import NostrCrypto
import NostrEvents
import SQLite

/// The plain columns of a fact.
struct StoredFact {
    let row: Int64
    let moment: Moment
    let session: Int64
    let sender: Int64
    let kind: FactRow.Kind
    let flags: FactRow.Flags
    let target: EventID?
    let slot: Int64?

    init(
        row: Int64,
        moment: Moment,
        session: Int64,
        sender: Int64,
        kind: FactRow.Kind,
        flags: FactRow.Flags,
        target: EventID?,
        slot: Int64?
    ) {
        self.row = row
        self.moment = moment
        self.session = session
        self.sender = sender
        self.kind = kind
        self.flags = flags
        self.target = target
        self.slot = slot
    }

    /// Reads `row, id, session, sender, kind, time, flags, target, slot`.
    init(_ columns: borrowing Row) throws {
        row = try columns.integer(0)
        session = try columns.integer(2)
        sender = try columns.integer(3)
        kind = try columns.get(4)
        moment = Moment(time: try columns.integer(5), id: try Self.id(columns, 1))
        flags = FactRow.Flags(rawValue: try columns.integer(6))
        target = try columns.isNull(7) ? nil : try Self.id(columns, 7)
        slot = try columns.get(8)
    }

    static func id(_ columns: borrowing Row, _ column: Int) throws -> EventID {
        try columns.withBytes(column) { bytes in EventID(try Bytes32(bytes)) }
    }
}

extension FactRow.Kind: SQLValue {}

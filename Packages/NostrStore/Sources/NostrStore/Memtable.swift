import NostrCrypto
import NostrEvents

/// Whose events do not count although they are still in the database: they vanished (NIP-62) and are being deleted.
struct Vanishing: Sendable {
    /// Events up to this time are gone.
    let time: Int64
    /// But not the request itself.
    let request: EventID
}

/// The keys of events that are stored but not yet in the index tables.
///
/// Rows are appended and committed at once; keys are random, and writing each where it belongs would write a page per key.
/// So they wait here, sorted, until there are many, and are then merged into the tables in slices. A value of this type is a
/// snapshot: readers keep one while the writer goes on.
struct Memtable: Sendable {
    struct Part: Sendable {
        var entries = SortedEntries()
        var ids = SortedEntries()

        var count: Int { entries.count + ids.count }
    }

    /// Takes new keys.
    var active = Part()
    /// Is being merged into the tables, where a part of it may be already.
    var frozen: Part?

    var vanishing: [Bytes32: Vanishing] = [:]

    var parts: [Part] { frozen.map { [active, $0] } ?? [active] }
}

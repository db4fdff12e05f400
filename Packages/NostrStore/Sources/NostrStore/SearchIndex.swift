import NostrEvents
import SQLite

/// The index for text search (NIP-50): FTS5 over the contents of some kinds, which keeps the words and not the text.
struct SearchIndex {
    let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// What a search without a limit gives at most: all matches have to be ranked before the first is known.
    static let mostResults = 500

    /// Makes the index anew if it is for other kinds than these; none means no index.
    func prepare(for kinds: Set<Kind>) throws {
        let wanted = "[" + kinds.sorted().map(\.description).joined(separator: ",") + "]"
        let found: String? = try connection.value("SELECT search_kinds FROM meta")
        guard found != wanted else { return }
        try connection.transaction {
            try connection.execute("DROP TABLE IF EXISTS search")
            if !kinds.isEmpty {
                try connection.execute(
                    "CREATE VIRTUAL TABLE search USING fts5(content, content = '', tokenize = 'unicode61 remove_diacritics 2')"
                )
                try fill(kinds)
            }
            try connection.execute("UPDATE meta SET search_kinds = ?1", wanted)
        }
    }

    private func fill(_ kinds: Set<Kind>) throws {
        let reader = IndexReader(connection: connection, memory: Memtable(), keys: IndexKeys(secret: []))
        let rows = try connection.cursor("SELECT row FROM event ORDER BY row")
        while let row = try rows.next({ try $0.integer(0) }) {
            let event = try reader.body(row) { packed, bytes in
                kinds.contains(packed.kind) ? try IndexReader.event(packed, bytes, row) : nil
            }
            if let event { try add(event.content, row) }
        }
    }

    func add(_ content: String, _ row: Int64) throws {
        try connection.execute("INSERT INTO search(rowid, content) VALUES (?1, ?2)", row, content)
    }

    /// Takes an event out. FTS5 does not keep the text, so it has to be told what to forget.
    func remove(_ content: String, _ row: Int64) throws {
        try connection.execute(
            "INSERT INTO search(search, rowid, content) VALUES ('delete', ?1, ?2)",
            row,
            content
        )
    }

    /// The FTS5 query for a search text: all words have to be there. Nil if there is no word.
    ///
    /// Pairs of `key:value` are extensions of NIP-50, none of which is known, so they are left out.
    static func query(_ text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace).filter { word in
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            return parts.count != 2 || parts.contains(where: \.isEmpty)
        }
        // In quotes nothing is an operator; a quote in quotes is doubled. FTS5 takes its query as a C string.
        let quoted = words.prefix(32).map { word in
            "\"" + word.filter { $0 != "\0" }.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        }
        return quoted.isEmpty ? nil : quoted.joined(separator: " ")
    }
}

/// An event that a search has found; it is read when its turn comes.
struct Finding: Hashable, Sendable {
    let row: Int64
    let id: EventID
    /// Which filter of the query it matches.
    let filter: Int
}

extension IndexReader {
    /// The events of a filter that searches, best match first.
    func search(
        _ filter: Filter,
        number: Int,
        _ query: String,
        now: Int64,
        remaining: Int
    ) throws -> [Finding] {
        let exists: Int? = try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'search'")
        guard exists != nil else { throw StoreError.searchUnavailable }
        let count = min(remaining, SearchIndex.mostResults)
        guard count > 0 else { return [] }
        let rows = try connection.cursor(
            "SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rank, rowid DESC",
            query
        )
        var findings: [Finding] = []
        while findings.count < count, let row = try rows.next({ try $0.integer(0) }) {
            try connection.checkLimits()
            if let match = try match(row, filter, now: now, wantsEvent: false, where: { _ in true }) {
                findings.append(Finding(row: row, id: match.id, filter: number))
            }
        }
        return findings
    }
}

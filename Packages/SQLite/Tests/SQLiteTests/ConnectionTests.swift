import SQLite
import Testing

private enum Colour: String, SQLValue {
    case red, green
}

@Suite struct ConnectionTests {
    @Test func everyTypeComesBackAsItWentIn() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(i INTEGER, r REAL, s TEXT, b BLOB, n INTEGER, c TEXT) STRICT")
        let text = "naïve \u{0} 🦆"
        let bytes = [UInt8](0...255)
        try connection.execute(
            "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            Int64.min,
            -0.5,
            text,
            bytes,
            Int64?.none,
            Colour.green
        )
        let row = try connection.first("SELECT i, r, s, b, n, c FROM t") { row in
            (
                try row.get(0, as: Int64.self), try row.get(1, as: Double.self), try row.get(2, as: String.self),
                try row.get(3, as: [UInt8].self), try row.get(4, as: Int64?.self), try row.get(5, as: Colour.self)
            )
        }
        let found = try #require(row)
        #expect(found.0 == .min)
        #expect(found.1 == -0.5)
        #expect(found.2 == text)
        #expect(found.3 == bytes)
        #expect(found.4 == nil)
        #expect(found.5 == .green)
    }

    @Test func emptyTextAndEmptyBytesAreNotNull() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(s TEXT NOT NULL, b BLOB NOT NULL) STRICT")
        try connection.execute("INSERT INTO t VALUES (?1, ?2)", "", [UInt8]())
        try connection.execute("INSERT INTO t VALUES (?1, ?2)", "", lastly: [UInt8]().span.bytes)
        let rows = try connection.all("SELECT s, b FROM t") { row in (try row.text(0), try row.bytes(1)) }
        #expect(rows.map(\.0) == ["", ""])
        #expect(rows.map(\.1) == [[], []])
    }

    @Test func lentBytesAreStoredAndLentBack() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(i INTEGER PRIMARY KEY, b BLOB NOT NULL) STRICT")
        let bytes: [UInt8] = [1, 2, 3]
        try connection.execute("INSERT INTO t VALUES (?1, ?2)", 7, lastly: bytes.span.bytes)
        let sum = try connection.first("SELECT b FROM t WHERE i = ?1", 7) { row in
            try row.withBytes(0) { span in span.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } } }
        }
        #expect(sum == 6)
    }

    @Test func wrongReadsAreErrors() throws {
        let connection = try Connection(.memory)
        func read<V: SQLValue>(_ sql: SQL, _ type: V.Type, column: Int = 0) -> SQLiteError? {
            failure { _ = try connection.first(sql) { try $0.get(column, as: type) } }
        }
        #expect(read("SELECT 'x' AS a", Int.self) == .wrongType(column: "a", wanted: "an integer", found: "text"))
        #expect(read("SELECT NULL AS a", String.self) == .wrongType(column: "a", wanted: "text", found: "NULL"))
        #expect(read("SELECT 1 AS a", Int.self, column: 1) == .noSuchColumn(1, columns: 1))
        #expect(read("SELECT 1 AS a", Int.self, column: -1) == .noSuchColumn(-1, columns: 1))
        #expect(read("SELECT -1 AS a", UInt32.self) == .unreadableValue(column: "a", wanted: "UInt32"))
        #expect(read("SELECT 2 AS a", Bool.self) == .unreadableValue(column: "a", wanted: "Bool"))
        #expect(read("SELECT 'blue' AS a", Colour.self) == .unreadableValue(column: "a", wanted: "Colour"))
        #expect(read("SELECT CAST(x'ff' AS TEXT) AS a", String.self) == .unreadableValue(column: "a", wanted: "String"))
        #expect(read("SELECT 1 AS a", Int.self) == nil)
    }

    @Test func wrongStatementsAreErrors() throws {
        let connection = try Connection(.memory)
        #expect(
            failure { try connection.execute("SELECT ?1, ?2", 1) }
                == .wrongParameterCount(sql: "SELECT ?1, ?2", wanted: 2, given: 1)
        )
        #expect(
            failure { try connection.execute("SELECT ?1", 1, 2) }
                == .wrongParameterCount(sql: "SELECT ?1", wanted: 1, given: 2)
        )
        #expect(
            failure { try connection.execute("SELECT 1; SELECT 2") } == .severalStatements(sql: "SELECT 1; SELECT 2")
        )
        #expect(failure { try connection.execute("SELECT 1; -- no more") } == nil)
        #expect(failure { try connection.execute("SELECT ?1", Double.nan) } == .unstorableValue(parameter: 1))
        guard case .statement(let code, _, let sql) = failure({ try connection.execute("SELEKT") }) else {
            Issue.record("a syntax error was not reported")
            return
        }
        #expect(code.primary == 1)
        #expect(sql == "SELEKT")
        #expect(failure { try connection.execute("") } != nil)
    }

    @Test func constraintsNameTheirExtendedCode() throws {
        let connection = try Connection(.memory)
        try connection.script(
            """
            CREATE TABLE a(i INTEGER PRIMARY KEY) STRICT;
            CREATE TABLE b(a INTEGER NOT NULL REFERENCES a(i)) STRICT;
            INSERT INTO a VALUES (1)
            """
        )
        func code(_ sql: SQL) -> Int32? {
            guard case .constraint(let code, _) = failure({ try connection.execute(sql) }) else { return nil }
            return code.rawValue
        }
        #expect(code("INSERT INTO a VALUES (1)") == 1555)
        #expect(code("INSERT INTO b VALUES (2)") == 787)
        #expect(code("INSERT INTO b VALUES ('x')") == 3091)
        #expect(code("INSERT INTO b VALUES (1)") == nil)
        #expect(connection.changes == 1)
    }

    @Test func theSameStatementCanRunInsideItself() throws {
        let connection = try Connection(.memory)
        let count: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) SELECT i FROM n"
        let outer = try connection.cursor(count, 3)
        var seen: [[Int]] = []
        while let limit = try outer.next({ try $0.get(0, as: Int.self) }) {
            seen.append(try connection.all(count, limit) { try $0.get(0) })
        }
        #expect(seen == [[1], [1, 2], [1, 2, 3]])
    }

    @Test(arguments: [0, 1, 2])
    func aSmallStatementCacheOnlyCostsTime(limit: Int) throws {
        let connection = try Connection(.memory, options: Options(cachedStatements: limit))
        for _ in 0..<3 {
            let one: Int? = try connection.value("SELECT 1")
            let two: Int? = try connection.value("SELECT 2")
            let three: Int? = try connection.value("SELECT 3")
            #expect([one, two, three] == [1, 2, 3])
        }
    }

    @Test func aThrowingTransactionLeavesNothingAndASavepointOnlyItsPart() throws {
        struct Stop: Error {}
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(i INTEGER) STRICT")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (2)")
            try? connection.transaction {
                try connection.execute("INSERT INTO t VALUES (3)")
                try connection.transaction { try connection.execute("INSERT INTO t VALUES (4)") }
                throw Stop()
            }
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (5)") }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.all("SELECT i FROM t ORDER BY i") { try $0.get(0) } == [2, 5])
    }

    @Test func aCaughtErrorThatRolledBackDoesNotLookLikeSuccess() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(i INTEGER UNIQUE) STRICT")
        let error = failure {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error != nil)
        let count: Int? = try connection.value("SELECT count(*) FROM t")
        #expect(count == 0)
    }

    @Test func aDeadlineStopsAQueryAndRollsBack() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(i INTEGER) STRICT")
        let error = failure {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.withDeadline(.now + .milliseconds(5)) { try connection.execute(endless) }
            }
        }
        #expect(error == .deadlineExceeded)
        let count: Int? = try connection.value("SELECT count(*) FROM t")
        #expect(count == 0)
        #expect(
            failure { try connection.withDeadline(.now + .seconds(60)) { try connection.execute("SELECT 1") } } == nil
        )
    }
}

/// A query without an end.
let endless: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

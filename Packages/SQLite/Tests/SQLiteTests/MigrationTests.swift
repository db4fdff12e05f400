import SQLite
import Testing

private let first = Migration("notes", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
private let second = Migration("stars", "ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 0") {
    try $0.execute("UPDATE note SET stars = 3")
}

@Suite struct MigrationTests {
    @Test func eachStepRunsOnceInOrder() throws {
        let connection = try Connection(.memory)
        try Migrations(schema: "test", [first]).apply(to: connection)
        try connection.execute("INSERT INTO note(text) VALUES ('a')")
        let both = Migrations(schema: "test", [first, second])
        try both.apply(to: connection)
        try connection.execute("INSERT INTO note(text) VALUES ('b')")
        try both.apply(to: connection)
        #expect(try connection.all("SELECT stars FROM note ORDER BY id") { try $0.get(0) } == [3, 0])
    }

    @Test func anEditedStepIsRefusedAndTheUneditedOneIsNot() throws {
        let connection = try Connection(.memory)
        try Migrations(schema: "test", [first]).apply(to: connection)
        let edited = Migration("notes", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT) STRICT")
        #expect(
            failure { try Migrations(schema: "test", [edited, second]).apply(to: connection) }
                == .editedMigration(path: ":memory:", step: 1, name: "notes")
        )
        let columns: Int? = try connection.value("SELECT count(*) FROM pragma_table_info('note')")
        #expect(columns == 2)
        #expect(failure { try Migrations(schema: "test", [first, second]).apply(to: connection) } == nil)
    }

    @Test func aNewerSchemaIsRefusedAndLeft() throws {
        let scratch = try Scratch()
        do {
            let connection = try Connection(scratch.location())
            try Migrations(schema: "test", [first, second]).apply(to: connection)
        }
        let before = try scratch.contents()
        #expect(
            failure { try Migrations(schema: "test", [first]).apply(to: Connection(scratch.location())) }
                == .newerSchema(path: scratch.path(), found: 2, known: 1)
        )
        #expect(try scratch.contents() == before)
    }

    @Test func databasesOfOthersAreRefused() throws {
        let connection = try Connection(.memory)
        try Migrations(schema: "letters", [first]).apply(to: connection)
        #expect(
            failure { try Migrations(schema: "test", [first]).apply(to: connection) }
                == .otherSchema(path: ":memory:", found: "letters")
        )
        let foreign = try Connection(.memory)
        try foreign.execute("CREATE TABLE x(i INTEGER) STRICT")
        #expect(
            failure { try Migrations(schema: "test", [first]).apply(to: foreign) }
                == .otherSchema(path: ":memory:", found: "another program")
        )
    }

    @Test func aFailingStepUndoesAllOfThem() throws {
        let connection = try Connection(.memory)
        let broken = Migration("broken", "CREATE TABLE x(i INTEGER) STRICT; CREATE TABLE x(i INTEGER) STRICT")
        #expect(failure { try Migrations(schema: "test", [first, broken]).apply(to: connection) } != nil)
        let tables: Int? = try connection.value("SELECT count(*) FROM sqlite_schema")
        #expect(tables == 0)
    }

    @Test func aStepThatLeavesBrokenReferencesIsUndone() throws {
        let connection = try Connection(.memory)
        let broken = Migration(
            "broken",
            """
            PRAGMA defer_foreign_keys = ON;
            CREATE TABLE a(i INTEGER PRIMARY KEY) STRICT;
            CREATE TABLE b(a INTEGER REFERENCES a(i)) STRICT;
            INSERT INTO b VALUES (1)
            """
        )
        #expect(
            failure { try Migrations(schema: "test", [broken]).apply(to: connection) }
                == .brokenReferences(path: ":memory:", table: "b")
        )
        let tables: Int? = try connection.value("SELECT count(*) FROM sqlite_schema")
        #expect(tables == 0)
    }
}

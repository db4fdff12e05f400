import Foundation
import SQLite
import Testing

@Suite struct OpeningTests {
    private func sound(_ scratch: Scratch) throws {
        let connection = try Connection(scratch.location())
        try connection.script("CREATE TABLE t(s TEXT) STRICT")
        try connection.transaction {
            for _ in 0..<200 { try connection.execute("INSERT INTO t VALUES (?1)", String(repeating: "x", count: 500)) }
        }
    }

    @Test func aNewFileIsForItsOwnerAndUsesALog() throws {
        let scratch = try Scratch()
        let connection = try Connection(scratch.location())
        try connection.execute("CREATE TABLE t(i INTEGER) STRICT")
        let mode: String? = try connection.value("PRAGMA journal_mode")
        #expect(mode == "wal")
        for name in ["test.db", "test.db-wal", "test.db-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test(arguments: [Access.read, .readWrite])
    func whatIsNotThereIsNotMade(access: Access) throws {
        let scratch = try Scratch()
        #expect(
            failure { _ = try Connection(scratch.location(), access: access) } == .notFound(path: scratch.path())
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
        try sound(scratch)
        #expect(failure { _ = try Connection(scratch.location(), access: access) } == nil)
    }

    @Test func foldersAndMissingFoldersAreNamed() throws {
        let scratch = try Scratch()
        guard case .cannotOpen(let path, _, _) = failure({ _ = try Connection(.file(scratch.folder.path)) }) else {
            Issue.record("a folder was opened as a database")
            return
        }
        #expect(path == scratch.folder.path)
        let deep = scratch.path("no/such/folder.db")
        #expect(failure { _ = try Connection(.file(deep)) } == .notFound(path: deep))
        try Data([1]).write(to: scratch.folder.appendingPathComponent("file"))
        let beneath = scratch.path("file/x.db")
        #expect(failure { _ = try Connection(.file(beneath)) } == .notFound(path: beneath))
    }

    @Test func somethingElseIsRefusedAndLeftByteForByte() throws {
        let scratch = try Scratch()
        let other = Data("this is a letter to somebody, and not a database at all\n".utf8) + Data(count: 4_000)
        try other.write(to: scratch.folder.appendingPathComponent("test.db"))
        #expect(failure { _ = try Connection(scratch.location()) } == .notADatabase(path: scratch.path()))
        #expect(try scratch.contents() == other)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["test.db"])
    }

    /// Which bytes to break, and whether opening or the check has to notice.
    @Test(arguments: [
        ("header", 0, 16), ("schema page", 100, 200), ("later page", 4_096 * 3, 4_096),
    ])
    func aDamagedFileIsNoticedAndLeftByteForByte(name: String, offset: Int, count: Int) throws {
        let scratch = try Scratch()
        try sound(scratch)
        let control = try scratch.contents()
        #expect(try Connection(scratch.location(), access: .readWrite).integrityCheck() == [])
        #expect(try scratch.contents() == control)

        var damaged = control
        for index in offset..<offset + count { damaged[index] = 0xa5 }
        try damaged.write(to: scratch.folder.appendingPathComponent("test.db"))
        var problems: [String] = []
        let error = failure {
            problems = try Connection(scratch.location(), access: .readWrite).integrityCheck()
        }
        switch error {
        case nil: #expect(!problems.isEmpty)
        case .damaged(let path, _), .notADatabase(let path): #expect(path == scratch.path())
        default: Issue.record("\(String(describing: error))")
        }
        #expect(try scratch.contents() == damaged)
    }

    @Test func aTruncatedFileIsDamagedAndLeftAsItIs() throws {
        let scratch = try Scratch()
        try sound(scratch)
        let short = try scratch.contents().prefix(4_096 * 4)
        try short.write(to: scratch.folder.appendingPathComponent("test.db"))
        guard case .damaged(let path, _) = failure({ _ = try Connection(scratch.location()) }) else {
            Issue.record("a truncated file was opened")
            return
        }
        #expect(path == scratch.path())
        #expect(try scratch.contents() == short)
    }

    @Test func aLogWithoutItsDatabaseIsNotThrownAway() throws {
        let scratch = try Scratch()
        let log = Data(repeating: 7, count: 5_000)
        try log.write(to: scratch.folder.appendingPathComponent("test.db-wal"))
        #expect(failure { _ = try Connection(scratch.location()) } == .orphanedLog(path: scratch.path()))
        #expect(try scratch.contents("test.db-wal") == log)
        try Data().write(to: scratch.folder.appendingPathComponent("test.db-wal"))
        #expect(failure { _ = try Connection(scratch.location()) } == nil)
    }

    @Test func aFullDatabaseSaysSoAndKeepsWhatWasCommitted() throws {
        let scratch = try Scratch()
        let connection = try Connection(scratch.location())
        try connection.execute("CREATE TABLE t(b BLOB) STRICT")
        try connection.execute("INSERT INTO t VALUES (zeroblob(100))")
        try connection.execute("PRAGMA max_page_count = 10")
        #expect(
            failure { try connection.execute("INSERT INTO t VALUES (zeroblob(100000))") }
                == .diskFull(path: scratch.path())
        )
        try connection.execute("INSERT INTO t VALUES (zeroblob(100))")
        let count: Int? = try connection.value("SELECT count(*) FROM t")
        #expect(count == 2)
    }

    @Test func aReadingConnectionDoesNotWrite() throws {
        let scratch = try Scratch()
        try sound(scratch)
        let reader = try Connection(scratch.location(), access: .read)
        #expect(failure { try reader.execute("DELETE FROM t") } == .readOnly(path: scratch.path()))
        let count: Int? = try reader.value("SELECT count(*) FROM t")
        #expect(count == 200)
    }

    #if os(Linux)
        @Test func withoutPermissionTheFileIsNamed() throws {
            let scratch = try Scratch()
            try sound(scratch)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.folder.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path())
            let before = try scratch.contents()
            let outcome = AsNobody.run {
                (
                    failure { _ = try Connection(scratch.location(), access: .read) },
                    failure { _ = try Connection(scratch.location()) },
                    failure { _ = try Connection(scratch.location("new.db")) }
                )
            }
            guard let outcome else { return }  // Only root can become nobody.
            #expect(outcome.0 == .permissionDenied(path: scratch.path()))
            #expect(outcome.1 == .permissionDenied(path: scratch.path()))
            #expect(outcome.2 == .permissionDenied(path: scratch.path("new.db")))
            #expect(try scratch.contents() == before)
            #expect(failure { _ = try Connection(scratch.location(), access: .read) } == nil)
        }

        @Test func aFileThatMayOnlyBeReadIsNotOpenedForWriting() throws {
            let scratch = try Scratch()
            try sound(scratch)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.folder.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.path())
            let outcome = AsNobody.run { failure { _ = try Connection(scratch.location(), access: .readWrite) } }
            guard let outcome else { return }
            #expect(outcome == .permissionDenied(path: scratch.path()))
        }
    #endif
}

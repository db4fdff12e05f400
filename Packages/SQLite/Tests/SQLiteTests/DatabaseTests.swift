import Foundation
import SQLite
import Testing

private let notes = Migrations(
    schema: "notes",
    [Migration("notes", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")]
)

@Suite(.timeLimit(.minutes(10))) struct DatabaseTests {
    @Test func theExampleOfTheReadme() async throws {
        let scratch = try Scratch()
        let path = scratch.path()

        let schema = Migrations(
            schema: "notes",
            [Migration("notes", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")]
        )
        let database = try await Database(.file(path), migrations: schema)
        try await database.write { connection in
            try connection.execute("INSERT INTO note(text) VALUES (?1)", "hello")
        }
        let texts = try await database.read { connection in
            try connection.all("SELECT text FROM note ORDER BY id") { row in try row.get(0, as: String.self) }
        }
        await database.close()

        #expect(texts == ["hello"])
    }

    @Test(arguments: [true, false])
    func writesAndReadsFromManyTasksAgree(inMemory: Bool) async throws {
        let scratch = try Scratch()
        let database = try await Database(inMemory ? .memory : scratch.location(), migrations: notes, readers: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<20 {
                        try await database.write { connection in
                            try connection.execute("INSERT INTO note(text) VALUES (?1)", "\(task)-\(number)")
                            try connection.execute("INSERT INTO note(text) VALUES (?1)", "\(task)-\(number)-twin")
                        }
                        // A reader never sees half of a transaction.
                        let count: Int? = try await database.read { try $0.value("SELECT count(*) FROM note") }
                        #expect((count ?? 1).isMultiple(of: 2))
                    }
                }
            }
            try await group.waitForAll()
        }
        let count: Int? = try await database.read { try $0.value("SELECT count(DISTINCT text) FROM note") }
        #expect(count == 320)
        #expect(try await database.integrityCheck() == [])
        await database.close()
        #expect(await failure { _ = try await database.read { $0.changes } } == .closed)
    }

    @Test func readersDoNotWaitForTheWriter() async throws {
        let scratch = try Scratch()
        let database = try await Database(scratch.location(), migrations: notes)
        let writing = AsyncStream<Void>.makeStream()
        let read = DispatchSemaphore(value: 0)
        async let written: Void = database.write { connection in
            try connection.execute("INSERT INTO note(text) VALUES ('later')")
            writing.continuation.yield()
            #expect(read.wait(timeout: .now() + 10) == .success)
        }
        for await _ in writing.stream { break }
        let before: Int? = try await database.read(deadline: .now + .seconds(5)) {
            try $0.value("SELECT count(*) FROM note")
        }
        read.signal()
        try await written
        let after: Int? = try await database.read { try $0.value("SELECT count(*) FROM note") }
        #expect(before == 0)
        #expect(after == 1)
    }

    @Test func cancellingATaskStopsItsQueryAndItsTurnInTheQueue() async throws {
        let scratch = try Scratch()
        let database = try await Database(scratch.location(), migrations: notes)
        let started = AsyncStream<Void>.makeStream()
        let running = Task {
            await failure {
                try await database.write { connection in
                    try connection.execute("INSERT INTO note(text) VALUES ('never')")
                    started.continuation.yield()
                    try connection.execute(endless)
                }
            }
        }
        for await _ in started.stream { break }
        let queued = Task { await failure { try await database.write { try $0.execute("SELECT 1") } } }
        queued.cancel()
        #expect(await queued.value == .cancelled)
        running.cancel()
        #expect(await running.value == .cancelled)
        let count: Int? = try await database.write { try $0.value("SELECT count(*) FROM note") }
        #expect(count == 0)
    }

    @Test func aDeadlineHoldsWhileRunningAndWhileWaiting() async throws {
        let scratch = try Scratch()
        let database = try await Database(scratch.location(), migrations: notes)
        async let running = failure {
            try await database.write(deadline: .now + .milliseconds(200)) { try $0.execute(endless) }
        }
        async let waiting = failure {
            try await database.write(deadline: .now + .milliseconds(20)) { try $0.execute(endless) }
        }
        #expect(await [running, waiting] == [.deadlineExceeded, .deadlineExceeded])
        #expect(await failure { try await database.write { try $0.execute("SELECT 1") } } == nil)
    }

    @Test func workRunsOnAThreadOfItsOwn() async throws {
        let database = try await Database(.memory)
        let here = try await database.read { _ in pthread_self() }
        let again = try await database.write { _ in pthread_self() }
        #expect(here == again)
    }

    @Test func aBackupIsASoundCopyWhileWritingGoesOnAndReplacesNothing() async throws {
        let scratch = try Scratch()
        let database = try await Database(scratch.location(), migrations: notes)
        try await database.write { connection in
            for number in 0..<2_000 { try connection.execute("INSERT INTO note(text) VALUES (?1)", "note \(number)") }
        }
        async let written: Void = {
            for _ in 0..<50 { try await database.write { try $0.execute("INSERT INTO note(text) VALUES ('more')") } }
        }()
        try await database.backUp(to: scratch.path("copy.db"))
        try await written
        let copy = try Connection(scratch.location("copy.db"), access: .readWrite)
        let count: Int? = try copy.value("SELECT count(*) FROM note WHERE text <> 'more'")
        #expect(count == 2_000)
        #expect(try copy.integrityCheck() == [])
        let before = try scratch.contents("copy.db")
        #expect(
            await failure { try await database.backUp(to: scratch.path("copy.db")) }
                == .alreadyExists(path: scratch.path("copy.db"))
        )
        #expect(try scratch.contents("copy.db") == before)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("copy.db.partial")))
    }

    @Test func theLogIsCopiedWhenAskedFor() async throws {
        let scratch = try Scratch()
        let database = try await Database(
            scratch.location(),
            migrations: notes,
            options: Options(synchronous: .normal, checkpointPages: 0)
        )
        for _ in 0..<20 { try await database.write { try $0.execute("INSERT INTO note(text) VALUES ('x')") } }
        let pages = try await database.maintain { $0.logPages }
        #expect(pages >= 20)
        let result = try await database.maintain { try $0.checkpoint(.truncate) }
        #expect(result.isComplete)
        #expect(try scratch.size("test.db-wal") == 0)
        try await database.write { try $0.execute("INSERT INTO note(text) VALUES ('x')") }
        #expect(try await database.maintain { $0.logPages } < 20)
    }

    @Test func aDatabaseThatIsOnlyReadChecksItsSchema() async throws {
        let scratch = try Scratch()
        try await Database(scratch.location(), migrations: notes).close()
        let database = try await Database(scratch.location(), access: .read, migrations: notes)
        let count: Int? = try await database.read { try $0.value("SELECT count(*) FROM note") }
        #expect(count == 0)
        #expect(
            await failure {
                _ = try await Database(
                    scratch.location(),
                    access: .read,
                    migrations: Migrations(schema: "other", [])
                )
            } == .otherSchema(path: scratch.path(), found: "notes")
        )
    }
}

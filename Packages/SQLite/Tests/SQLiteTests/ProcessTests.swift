import Foundation
import SQLite
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
    @Test func anotherProcessWaitsForTheLockUntilItsTimeout() async throws {
        let scratch = try Scratch()
        let path = scratch.path()
        let connection = try Connection(.file(path))
        try connection.execute("CREATE TABLE t(i INTEGER) STRICT")
        try connection.execute("BEGIN IMMEDIATE")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Connection(.file(path), options: Options(busyTimeout: .milliseconds(50)))
            let start = ContinuousClock.now
            guard case .busy(path, _) = failure({ try other.execute("INSERT INTO t VALUES (1)") }) else { exit(1) }
            guard ContinuousClock.now - start >= .milliseconds(50) else { exit(2) }
        }
        try connection.execute("COMMIT")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Connection(.file(path), options: Options(busyTimeout: .milliseconds(50)))
            try other.execute("INSERT INTO t VALUES (2)")
        }
        #expect(try connection.all("SELECT i FROM t") { try $0.get(0) } == [2])
    }

    @Test(arguments: [Synchronous.full, .normal])
    func whatWasAcknowledgedSurvivesKill(synchronous: Synchronous) async throws {
        for delay: UInt32 in [3, 11, 29] {
            let scratch = try Scratch()
            let path = scratch.path()
            let isFull = synchronous == .full
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, isFull = isFull as Bool, delay = delay as UInt32] in
                let options = Options(synchronous: isFull ? .full : .normal, checkpointPages: 20)
                let connection = try Connection(.file(path), options: options)
                try connection.execute("CREATE TABLE t(i INTEGER PRIMARY KEY, b BLOB) STRICT")
                let acknowledged = open(path + ".ack", O_WRONLY | O_CREAT, 0o600)
                var number: Int64 = 0
                while true {
                    number += 1
                    try connection.transaction {
                        try connection.execute("INSERT INTO t VALUES (?1, randomblob(3000))", number * 2)
                        try connection.execute("INSERT INTO t VALUES (?1, randomblob(300))", number * 2 + 1)
                    }
                    pwrite(acknowledged, &number, 8, 0)
                    if number == 1 {
                        Thread.detachNewThread {
                            usleep(delay * 1_000)
                            kill(getpid(), SIGKILL)
                        }
                    }
                }
            }
            let acknowledged = try scratch.contents("test.db.ack").withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
            let connection = try Connection(.file(path), access: .readWrite)
            #expect(try connection.integrityCheck() == [])
            let rows: Int64? = try connection.value("SELECT count(*) FROM t")
            let stored = try #require(rows)
            #expect(acknowledged >= 1)
            // The one that was being acknowledged may be there too, but no transaction is there in half.
            #expect(stored == acknowledged * 2 || stored == acknowledged * 2 + 2)
        }
    }
}

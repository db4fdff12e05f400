internal import SQLite

/// The tables of a gateway.
///
/// Sessions are only ever compared, so that they are stored as a salted hash with the account in it: the rows of two accounts
/// do not show that they share a session.
enum PushSchema {
    static let migrations = Migrations(
        schema: "linkstr push",
        [
            Migration(
                "devices, archive state and queue",
                """
                CREATE TABLE gateway(id INTEGER PRIMARY KEY CHECK (id = 1), salt BLOB NOT NULL) STRICT;
                INSERT INTO gateway VALUES (1, randomblob(32));
                CREATE TABLE account(id INTEGER PRIMARY KEY, pubkey BLOB NOT NULL UNIQUE) STRICT;
                CREATE TABLE device(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    token TEXT NOT NULL UNIQUE,
                    environment TEXT NOT NULL,
                    version INTEGER NOT NULL,
                    registered INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX device_account ON device(account);
                CREATE TABLE archived(
                    account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    session BLOB NOT NULL,
                    PRIMARY KEY (account, session)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE nonce(
                    account BLOB NOT NULL, digest BLOB NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (account, digest)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX nonce_seen ON nonce(seen);
                CREATE TABLE told(
                    event BLOB NOT NULL, recipient BLOB NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (event, recipient)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX told_at ON told(at);
                CREATE TABLE notification(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    collapse TEXT NOT NULL,
                    payload BLOB NOT NULL,
                    expires INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE job(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    notification INTEGER NOT NULL REFERENCES notification(id),
                    device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
                    session BLOB NOT NULL,
                    due INTEGER NOT NULL,
                    failures INTEGER NOT NULL,
                    lease BLOB
                ) STRICT;
                CREATE INDEX job_due ON job(due);
                CREATE INDEX job_device ON job(device);
                CREATE INDEX job_notification ON job(notification);
                """
            )
        ]
    )
}

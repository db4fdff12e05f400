import SQLite

/// The tables of an account's session database.
///
/// - `fact`: what arrived, appended. Everything shown follows from it when it is read.
/// - `..._key`: where facts are found. Keys of rows above `meta.indexed_up_to` are in temporary tables of the same shape; see
///   ``KeyTables``.
/// - `session`, `person`: short numbers for session ids and public keys, and what is decided once (pins, tombstones) or by the
///   person here (archived, requests).
///
/// Sealed columns are called `sealed`, or `pin`, `tombstone` and `key_check`; everything else is plain and names nobody.
enum StoreSchema {
    static let migrations = Migrations(
        schema: "LinkstrSessions",
        [
            Migration(
                "facts and their keys",
                """
                CREATE TABLE meta(
                    id INTEGER PRIMARY KEY CHECK(id = 1), key_check BLOB NOT NULL, is_restoring INTEGER NOT NULL,
                    indexed_up_to INTEGER NOT NULL, waiting INTEGER NOT NULL, lost_elsewhere INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE person(
                    number INTEGER PRIMARY KEY, lookup BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL,
                    waiting_deletes INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE TABLE session(
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, has_creator INTEGER NOT NULL DEFAULT 0,
                    pin BLOB, pin_needs_confirmation INTEGER NOT NULL DEFAULT 0,
                    tombstone BLOB, tombstone_time INTEGER, tombstone_id BLOB,
                    has_dropped_claimants INTEGER NOT NULL DEFAULT 0, lost_facts INTEGER NOT NULL DEFAULT 0,
                    newest_root INTEGER NOT NULL DEFAULT -1,
                    is_archived INTEGER NOT NULL DEFAULT 0, request INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE TABLE fact(
                    row INTEGER PRIMARY KEY, id BLOB NOT NULL, session INTEGER NOT NULL, sender INTEGER NOT NULL,
                    kind INTEGER NOT NULL, time INTEGER NOT NULL, flags INTEGER NOT NULL,
                    target BLOB, slot INTEGER, emoji TEXT, sealed BLOB, wraps BLOB
                ) STRICT;
                CREATE TABLE id_key(key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(key, row))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE feed_key(
                    session INTEGER NOT NULL, time INTEGER NOT NULL, tie INTEGER NOT NULL, row INTEGER NOT NULL,
                    sender INTEGER NOT NULL, PRIMARY KEY(session, time, tie, row)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE unread_key(
                    session INTEGER NOT NULL, time INTEGER NOT NULL, tie INTEGER NOT NULL, row INTEGER NOT NULL,
                    sender INTEGER NOT NULL, PRIMARY KEY(session, time, tie, row)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE reaction_key(
                    session INTEGER NOT NULL, root INTEGER NOT NULL, slot INTEGER NOT NULL, time INTEGER NOT NULL,
                    tie INTEGER NOT NULL, row INTEGER NOT NULL, sender INTEGER NOT NULL, is_active INTEGER NOT NULL,
                    PRIMARY KEY(session, root, slot, time, tie, row)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE delete_key(
                    session INTEGER NOT NULL, root INTEGER NOT NULL, row INTEGER NOT NULL, sender INTEGER NOT NULL,
                    PRIMARY KEY(session, root, row)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE log_key(session INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(session, row))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE seal(
                    row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, session INTEGER NOT NULL, kind INTEGER NOT NULL,
                    time INTEGER NOT NULL, sealed BLOB NOT NULL
                ) STRICT;
                CREATE INDEX seal_of_session ON seal(session);
                CREATE TABLE block(session INTEGER NOT NULL, person INTEGER NOT NULL, PRIMARY KEY(session, person))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE reminder(
                    session INTEGER NOT NULL, person INTEGER NOT NULL, time INTEGER NOT NULL,
                    PRIMARY KEY(session, person)
                ) STRICT, WITHOUT ROWID;
                """
            )
        ]
    )

    /// Tables of one connection, gone with it.
    static let recent: SQL = """
        CREATE TEMP TABLE recent_id(key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(key, row)) WITHOUT ROWID;
        CREATE TEMP TABLE recent_feed(
            session INTEGER NOT NULL, time INTEGER NOT NULL, tie INTEGER NOT NULL, row INTEGER NOT NULL,
            sender INTEGER NOT NULL, PRIMARY KEY(session, time, tie, row)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE recent_unread(
            session INTEGER NOT NULL, time INTEGER NOT NULL, tie INTEGER NOT NULL, row INTEGER NOT NULL,
            sender INTEGER NOT NULL, PRIMARY KEY(session, time, tie, row)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE recent_reaction(
            session INTEGER NOT NULL, root INTEGER NOT NULL, slot INTEGER NOT NULL, time INTEGER NOT NULL,
            tie INTEGER NOT NULL, row INTEGER NOT NULL, sender INTEGER NOT NULL, is_active INTEGER NOT NULL,
            PRIMARY KEY(session, root, slot, time, tie, row)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE recent_delete(
            session INTEGER NOT NULL, root INTEGER NOT NULL, row INTEGER NOT NULL, sender INTEGER NOT NULL,
            PRIMARY KEY(session, root, row)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE recent_log(session INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(session, row))
            WITHOUT ROWID;
        """
}

import SQLite

/// The tables.
///
/// - `event`: the events, appended. Everything else can be made from it.
/// - `id_key`, `index_key`: where events are found. Keys of rows above `indexed_up_to` are in memory.
/// - `expiry`, `deletion`, `vanished`: small, kept up to date at once.
enum Schema {
    static let migrations = Migrations(
        schema: "NostrStore",
        [
            Migration(
                "events and their keys",
                """
                CREATE TABLE event(row INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
                CREATE TABLE id_key(key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(key, row))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE index_key(
                    key INTEGER NOT NULL, kind INTEGER NOT NULL, age INTEGER NOT NULL, tie INTEGER NOT NULL,
                    row INTEGER NOT NULL, PRIMARY KEY(key, kind, age, tie, row)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE expiry(time INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(time, row))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE deletion(key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(key, row))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE vanished(pubkey BLOB PRIMARY KEY, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE meta(
                    id INTEGER PRIMARY KEY CHECK(id = 1), secret BLOB NOT NULL, indexed_up_to INTEGER NOT NULL,
                    search_kinds TEXT NOT NULL
                ) STRICT;
                """
            ),
            // A request whose events are not all deleted yet; NULL when they are.
            Migration("requests to vanish under way", "ALTER TABLE vanished ADD COLUMN request BLOB"),
        ]
    )
}

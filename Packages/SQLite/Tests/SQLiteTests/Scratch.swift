import Foundation
import SQLite
import TestSupport

/// A folder for databases that goes away with the value.
struct Scratch {
    private let temporary: TemporaryFolder
    var folder: URL { URL(fileURLWithPath: temporary.path) }

    init() throws { temporary = try TemporaryFolder() }

    func path(_ name: String = "test.db") -> String {
        folder.appendingPathComponent(name).path
    }

    func location(_ name: String = "test.db") -> Location {
        .file(path(name))
    }

    func size(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int
    }

    func contents(_ name: String = "test.db") throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }
}

/// What `body` throws as an error of this package, or nil.
func failure(_ body: () throws -> Void) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}

/// The same for work that waits.
func failure(_ body: () async throws -> Void) async -> SQLiteError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}

import Foundation
import SQLite

/// A folder that goes away with the value.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

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

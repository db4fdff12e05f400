import Foundation
import LinkstrClient

/// A home in a temporary directory that goes with the test.
final class TemporaryHome {
    let path: String
    let home: Home

    init() throws {
        path = NSTemporaryDirectory() + "linkstr-\(UUID().uuidString)"
        home = try Home(directory: path, environment: [:])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Cheap passphrases, for tests only.
    var accounts: Accounts { Accounts(home, keyStore: FileKeyStore(home, logN: 2)) }

    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    /// What a file holds, as text of which only ASCII is right.
    func bytes(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}

internal import Foundation

/// A folder that goes away with the value.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Makes one under a short name, as there is little room in the address of a socket in it.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/linkstr-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

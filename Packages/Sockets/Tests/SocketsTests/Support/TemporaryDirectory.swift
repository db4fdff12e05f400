import Foundation

/// A directory for one test.
final class TemporaryDirectory: Sendable {
    let path: String
    init() {
        path = NSTemporaryDirectory().replacingOccurrences(of: "//", with: "/") + "s-" + UUID().uuidString.prefix(8)
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String) -> String { path + "/" + name }
}

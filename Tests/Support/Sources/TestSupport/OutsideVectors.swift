public import Foundation

/// Test vectors made by others. They lie beside a checkout in `shared/vectors`, are read in place and never copied in;
/// a suite that needs them is enabled only where they are:
///
/// ```swift
/// @Suite(.enabled(if: OutsideVectors.arePresent, OutsideVectors.absence))
/// ```
public enum OutsideVectors {
    /// The folder, `LINKSTR_VECTORS` or `../shared/vectors` beside the repository.
    public static let directory: URL = {
        if let path = ProcessInfo.processInfo.environment["LINKSTR_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return Repository.root.deletingLastPathComponent().appendingPathComponent("shared/vectors", isDirectory: true)
    }()

    public static let arePresent = FileManager.default.fileExists(atPath: directory.path)

    /// What a skipped suite says.
    public static let absence = "the outside test vectors are not beside this checkout (../shared/vectors)"

    /// The bytes of one file.
    public static func data(_ name: String) throws -> Data {
        try Data(contentsOf: directory.appendingPathComponent(name))
    }
}

/// Where the sources of this repository are.
public enum Repository {
    public static let root: URL = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()  // TestSupport
        .deletingLastPathComponent()  // Sources
        .deletingLastPathComponent()  // Support
        .deletingLastPathComponent()  // Tests
        .deletingLastPathComponent()
}

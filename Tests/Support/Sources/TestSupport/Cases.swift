internal import Foundation

/// The repository's own tables of cases, which `scripts/generate-cases.py` writes with implementations made by others.
public enum Cases {
    /// The table `name` (without `.json`) of a package's tests, decoded.
    public static func table<Table: Decodable>(
        _ name: String,
        of package: String,
        as type: Table.Type = Table.self
    ) throws -> Table {
        let file = Repository.root.appendingPathComponent(
            "Packages/\(package)/Tests/\(package)Tests/Cases/\(name).json"
        )
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }
}

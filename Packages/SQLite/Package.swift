// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "SQLite",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "SQLite", targets: ["SQLite"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../SystemLibraries"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "SQLite",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "CSQLite", package: "SystemLibraries"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["SQLite", .product(name: "TestSupport", package: "Support")],
            swiftSettings: settings
        ),
    ]
)

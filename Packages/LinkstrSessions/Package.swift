// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "LinkstrSessions",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "LinkstrSessions", targets: ["LinkstrSessions"])],
    dependencies: [
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../LinkstrLinks"),
        .package(path: "../SQLite"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "LinkstrSessions",
            dependencies: [
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "LinkstrLinks", package: "LinkstrLinks"),
                .product(name: "SQLite", package: "SQLite"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinkstrSessionsTests",
            dependencies: [
                "LinkstrSessions",
                .product(name: "LinkstrLinks", package: "LinkstrLinks"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "TestSupport", package: "Support"),
            ],
            exclude: ["Cases"],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrStore",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrStore", targets: ["NostrStore"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../Negentropy"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../SQLite"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrStore",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "SQLite", package: "SQLite"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrStoreTests",
            dependencies: [
                "NostrStore",
                .product(name: "Locking", package: "Locking"),
                .product(name: "Negentropy", package: "Negentropy"),
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

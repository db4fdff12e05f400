// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrRelay",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrRelay", targets: ["NostrRelay"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../Negentropy"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../NostrStore"),
        .package(path: "../SQLite"),
        .package(path: "../Sockets"),
        .package(path: "../WebSocket"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrRelay",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "NostrStore", package: "NostrStore"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrRelayTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "NostrRelay",
                .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "NostrStore", package: "NostrStore"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "LinkstrClient",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "LinkstrClient", targets: ["LinkstrClient"])],
    dependencies: [
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../NostrGiftWrap"),
        .package(path: "../NostrContacts"),
        .package(path: "../NostrPreferences"),
        .package(path: "../NostrTransport"),
        .package(path: "../LinkstrSessions"),
        .package(path: "../LinkstrLinks"),
        .package(path: "../LinkstrPush"),
        .package(path: "../Locking"),
        .package(path: "../NostrRelay"),
        .package(path: "../NostrStore"),
        .package(path: "../SQLite"),
        .package(path: "../Sockets"),
        .package(path: "../WebSocket"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "LinkstrClient",
            dependencies: [
                .product(name: "LinkMetadata", package: "LinkstrLinks"),
                .product(name: "LinkstrLinks", package: "LinkstrLinks"),
                .product(name: "LinkstrSessions", package: "LinkstrSessions"),
                .product(name: "Locking", package: "Locking"),
                .product(name: "NostrContacts", package: "NostrContacts"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "NostrGiftWrap", package: "NostrGiftWrap"),
                .product(name: "NostrPreferences", package: "NostrPreferences"),
                .product(name: "NostrTransport", package: "NostrTransport"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinkstrClientTests",
            dependencies: [
                "LinkstrClient",
                .product(name: "LinkMetadata", package: "LinkstrLinks"),
                .product(name: "LinkstrLinks", package: "LinkstrLinks"),
                .product(name: "LinkstrPush", package: "LinkstrPush"),
                .product(name: "LinkstrSessions", package: "LinkstrSessions"),
                .product(name: "Locking", package: "Locking"),
                .product(name: "NostrContacts", package: "NostrContacts"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "NostrGiftWrap", package: "NostrGiftWrap"),
                .product(name: "NostrPreferences", package: "NostrPreferences"),
                .product(name: "NostrRelay", package: "NostrRelay"),
                .product(name: "NostrStore", package: "NostrStore"),
                .product(name: "NostrTransport", package: "NostrTransport"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

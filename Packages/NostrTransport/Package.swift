// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrTransport",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrTransport", targets: ["NostrTransport"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../Negentropy"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../Sockets"),
        .package(path: "../WebSocket"),
        .package(path: "../../Tests/FaultyRelay"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrTransport",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrTransportTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "NostrTransport",
                .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
                .product(name: "FaultyRelay", package: "FaultyRelay"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "FaultyRelay",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "FaultyRelay", targets: ["FaultyRelay"])],
    dependencies: [
        .package(path: "../../Packages/Negentropy"),
        .package(path: "../../Packages/NostrCrypto"),
        .package(path: "../../Packages/NostrEvents"),
        .package(path: "../../Packages/Sockets"),
        .package(path: "../../Packages/WebSocket"),
    ],
    targets: [
        .target(
            name: "FaultyRelay",
            dependencies: [
                .product(name: "Negentropy", package: "Negentropy"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "WebSocket", package: "WebSocket"),
            ],
            swiftSettings: settings
        )
    ]
)

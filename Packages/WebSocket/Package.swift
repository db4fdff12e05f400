// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "WebSocket",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "WebSocket", targets: ["WebSocket"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../Sockets"),
        .package(path: "../SystemLibraries"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "WebSocket",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "Sockets", package: "Sockets"),
                .product(name: "CZlib", package: "SystemLibraries"),
            ],
            swiftSettings: settings + [.strictMemorySafety()]
        ),
        .testTarget(
            name: "WebSocketTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "WebSocket",
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "CZlib", package: "SystemLibraries"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

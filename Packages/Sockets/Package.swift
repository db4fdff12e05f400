// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Sockets",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Sockets", targets: ["Sockets"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../SystemLibraries"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "Sockets",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "COpenSSL", package: "SystemLibraries"),
                .product(name: "CZlib", package: "SystemLibraries"),
                .product(name: "CLinux", package: "SystemLibraries"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SocketsTests",
            dependencies: ["Sockets", .product(name: "TestSupport", package: "Support")],
            swiftSettings: settings
        ),
    ]
)

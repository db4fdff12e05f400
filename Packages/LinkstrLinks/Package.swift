// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "LinkstrLinks",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "LinkstrLinks", targets: ["LinkstrLinks"]),
        .library(name: "LinkMetadata", targets: ["LinkMetadata"]),
    ],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../NostrEvents"),
        .package(path: "../Sockets"),
    ],
    targets: [
        .target(name: "LinkstrLinks", swiftSettings: settings),
        .testTarget(name: "LinkstrLinksTests", dependencies: ["LinkstrLinks"], swiftSettings: settings),
        .target(
            name: "LinkMetadata",
            dependencies: [
                "LinkstrLinks",
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "Sockets", package: "Sockets"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinkMetadataTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "LinkMetadata", "LinkstrLinks",
                .product(name: "Sockets", package: "Sockets"),
            ],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "LinkstrPush",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "LinkstrPush", targets: ["LinkstrPush"])],
    traits: [.trait(name: "Push", description: "The connection to Apple, over HTTP/2 with libnghttp2")],
    dependencies: [
        .package(path: "../APNs", traits: [.trait(name: "Push", condition: .when(traits: ["Push"]))]),
        .package(path: "../Locking"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../SQLite"),
        .package(path: "../Sockets"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "LinkstrPush",
            dependencies: [
                .product(name: "APNs", package: "APNs"),
                .product(name: "Locking", package: "Locking"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinkstrPushTests",
            dependencies: [
                "LinkstrPush",
                .product(name: "APNs", package: "APNs"),
                .product(name: "Locking", package: "Locking"),
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "SQLite", package: "SQLite"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

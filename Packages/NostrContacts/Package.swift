// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrContacts",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrContacts", targets: ["NostrContacts"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrContacts",
            dependencies: [
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrContactsTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "NostrContacts",
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

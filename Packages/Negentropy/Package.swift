// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Negentropy",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Negentropy", targets: ["Negentropy"])],
    dependencies: [
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "Negentropy",
            dependencies: [
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NegentropyTests",
            dependencies: [
                "Negentropy",
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

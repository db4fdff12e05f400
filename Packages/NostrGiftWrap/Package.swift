// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrGiftWrap",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrGiftWrap", targets: ["NostrGiftWrap"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrGiftWrap",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrGiftWrapTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "NostrGiftWrap",
                .product(name: "TestSupport", package: "Support"),
            ],
            exclude: ["Cases"],
            swiftSettings: settings
        ),
    ]
)

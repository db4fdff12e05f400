// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrPreferences",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrPreferences", targets: ["NostrPreferences"])],
    dependencies: [
        .package(path: "../NostrCrypto"),
        .package(path: "../NostrEvents"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrPreferences",
            dependencies: [
                .product(name: "NostrCrypto", package: "NostrCrypto"),
                .product(name: "NostrEvents", package: "NostrEvents"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrPreferencesTests",
            dependencies: ["NostrPreferences", .product(name: "TestSupport", package: "Support")],
            swiftSettings: settings
        ),
    ]
)

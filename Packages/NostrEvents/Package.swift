// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrEvents",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrEvents", targets: ["NostrEvents"])],
    dependencies: [
        .package(path: "../NostrCrypto"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrEvents",
            dependencies: [
                .product(name: "NostrCrypto", package: "NostrCrypto")
            ],
            swiftSettings: settings + [.strictMemorySafety()]
        ),
        .testTarget(
            name: "NostrEventsTests",
            dependencies: ["NostrEvents", .product(name: "TestSupport", package: "Support")],
            exclude: ["Cases"],
            swiftSettings: settings
        ),
    ]
)

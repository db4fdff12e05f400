// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "APNs",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "APNs", targets: ["APNs"])],
    traits: [.trait(name: "Push", description: "The connection to Apple, over HTTP/2 with libnghttp2")],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../Sockets"),
        .package(path: "../SystemLibraries"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "APNs",
            dependencies: [
                .product(name: "Locking", package: "Locking"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "COpenSSL", package: "SystemLibraries"),
                .product(name: "CNghttp2", package: "SystemLibraries", condition: .when(traits: ["Push"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "APNsTests",
            dependencies: [
                "APNs",
                .product(name: "Locking", package: "Locking"),
                .product(name: "Sockets", package: "Sockets"),
                .product(name: "COpenSSL", package: "SystemLibraries"),
                .product(name: "TestSupport", package: "Support"),
            ],
            swiftSettings: settings
        ),
    ]
)

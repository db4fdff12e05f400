// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "NostrCrypto",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NostrCrypto", targets: ["NostrCrypto"])],
    dependencies: [
        .package(path: "../Locking"),
        .package(path: "../SystemLibraries"),
        .package(path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "NostrCrypto",
            dependencies: [
                .product(name: "Locking", package: "Locking"), .product(name: "CSecp256k1", package: "SystemLibraries"),
                .product(name: "COpenSSL", package: "SystemLibraries"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NostrCryptoTests",
            dependencies: [
                .product(name: "Locking", package: "Locking"), "NostrCrypto",
                .product(name: "TestSupport", package: "Support"),
            ],
            exclude: ["Cases"],
            swiftSettings: settings
        ),
    ]
)

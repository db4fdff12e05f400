// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Locking",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Locking", targets: ["Locking"])],
    targets: [
        .target(name: "Locking", swiftSettings: settings + [.strictMemorySafety()]),
        .testTarget(name: "LockingTests", dependencies: ["Locking"], swiftSettings: settings),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// This manifest declares every target of the tree and depends on nothing by path, so that another project can
// depend on the repository by URL and version. `Packages/<Name>/Package.swift` declares the same targets for use
// by path and alone; `scripts/check-manifests` keeps the two equal.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CSecp256k1",
        path: "Packages/SystemLibraries/Sources/CSecp256k1",
        pkgConfig: "libsecp256k1",
        providers: [.apt(["libsecp256k1-dev"]), .brew(["secp256k1"])]
    ),
    .systemLibrary(
        name: "COpenSSL",
        path: "Packages/SystemLibraries/Sources/COpenSSL",
        pkgConfig: "openssl",
        providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .systemLibrary(
        name: "CZlib",
        path: "Packages/SystemLibraries/Sources/CZlib",
        pkgConfig: "zlib",
        providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .systemLibrary(
        name: "CSQLite",
        path: "Packages/SystemLibraries/Sources/CSQLite",
        pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
        name: "CNghttp2",
        path: "Packages/SystemLibraries/Sources/CNghttp2",
        pkgConfig: "libnghttp2",
        providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
    ),
    .systemLibrary(name: "CLinux", path: "Packages/SystemLibraries/Sources/CLinux"),
]

/// A library target of `Packages/<package>`, which has its name unless another is given, and, beside it, its test target.
/// `cases` says that the tests have a folder `Cases` of tables, which they read in place.
func room(
    _ name: String,
    of package: String? = nil,
    needs: [Target.Dependency],
    tests: [Target.Dependency] = [],
    settings extra: [SwiftSetting] = [],
    cases: Bool = false
) -> [Target] {
    [
        .target(
            name: name,
            dependencies: needs,
            path: "Packages/\(package ?? name)/Sources/\(name)",
            swiftSettings: settings + extra
        ),
        .testTarget(
            name: "\(name)Tests",
            dependencies: [.target(name: name)] + tests,
            path: "Packages/\(package ?? name)/Tests/\(name)Tests",
            exclude: cases ? ["Cases"] : [],
            swiftSettings: settings
        ),
    ]
}

let base: [Target] =
    room("Locking", needs: [], settings: [.strictMemorySafety()])
    + room(
        "NostrCrypto",
        needs: ["Locking", "CSecp256k1", "COpenSSL"],
        tests: ["Locking", "TestSupport"],
        cases: true
    )
    + room("SQLite", needs: ["Locking", "CSQLite"], tests: ["TestSupport"])
    + room("Sockets", needs: ["Locking", "COpenSSL", "CZlib", "CLinux"], tests: ["TestSupport"])
    + room(
        "WebSocket",
        needs: ["Locking", "Sockets", "CZlib"],
        tests: ["Locking", "Sockets", "CZlib", "TestSupport"],
        settings: [.strictMemorySafety()]
    )

let nostrCore: [Target] =
    room("NostrEvents", needs: ["NostrCrypto"], tests: ["TestSupport"], settings: [.strictMemorySafety()], cases: true)
    + room(
        "Negentropy",
        needs: ["NostrCrypto", "NostrEvents"],
        tests: ["NostrCrypto", "NostrEvents", "TestSupport"]
    )

let nostr: [Target] =
    room(
        "NostrGiftWrap",
        needs: ["Locking", "NostrCrypto", "NostrEvents"],
        tests: ["Locking", "TestSupport"],
        cases: true
    )
    + room("NostrContacts", needs: ["NostrCrypto", "NostrEvents"], tests: ["Locking", "TestSupport"])
    + room("NostrPreferences", needs: ["NostrCrypto", "NostrEvents"], tests: ["TestSupport"])
    + room(
        "NostrStore",
        needs: ["Locking", "Negentropy", "NostrCrypto", "NostrEvents", "SQLite"],
        tests: ["Locking", "Negentropy", "NostrCrypto", "NostrEvents", "SQLite", "TestSupport"],
        cases: true
    )
    + room(
        "NostrTransport",
        needs: ["Locking", "Negentropy", "NostrCrypto", "NostrEvents", "Sockets", "WebSocket"],
        tests: [
            "Locking", "FaultyRelay", "Negentropy", "NostrCrypto", "NostrEvents", "Sockets", "TestSupport", "WebSocket",
        ]
    )
    + room(
        "NostrRelay",
        needs: ["Locking", "Negentropy", "NostrCrypto", "NostrEvents", "NostrStore", "SQLite", "Sockets", "WebSocket"],
        tests: [
            "Locking",
            "Negentropy", "NostrCrypto", "NostrEvents", "NostrStore", "SQLite", "Sockets", "WebSocket", "TestSupport",
        ]
    )

let domain: [Target] =
    room("LinkstrLinks", needs: [])
    + room(
        "LinkMetadata",
        of: "LinkstrLinks",
        needs: ["LinkstrLinks", "NostrEvents", "Sockets"],
        tests: ["Locking", "LinkstrLinks", "Sockets"]
    )
    + room(
        "LinkstrSessions",
        needs: ["NostrCrypto", "NostrEvents", "LinkstrLinks", "SQLite"],
        tests: ["LinkstrLinks", "NostrCrypto", "NostrEvents", "SQLite", "TestSupport"],
        cases: true
    )
    + room(
        "APNs",
        needs: [
            "Locking", "Sockets", "COpenSSL", .target(name: "CNghttp2", condition: .when(traits: ["Push"])),
        ],
        tests: ["Locking", "Sockets", "COpenSSL", "TestSupport"]
    )
    + room(
        "LinkstrPush",
        needs: ["APNs", "Locking", "NostrCrypto", "NostrEvents", "SQLite", "Sockets"],
        tests: ["APNs", "Locking", "NostrCrypto", "NostrEvents", "SQLite", "Sockets", "TestSupport"]
    )

let product: [Target] =
    room(
        "LinkstrClient",
        needs: [
            "LinkMetadata", "LinkstrLinks", "LinkstrSessions", "Locking", "NostrContacts", "NostrCrypto", "NostrEvents",
            "NostrGiftWrap", "NostrPreferences", "NostrTransport", "SQLite", "Sockets", "WebSocket",
        ],
        tests: [
            "LinkMetadata", "LinkstrLinks", "LinkstrPush", "LinkstrSessions", "Locking", "NostrContacts", "NostrCrypto",
            "NostrEvents", "NostrGiftWrap", "NostrPreferences", "NostrRelay", "NostrStore", "NostrTransport", "SQLite",
            "Sockets", "TestSupport", "WebSocket",
        ]
    )

let apps: [Target] = [
    .target(
        name: "CommandKit",
        dependencies: ["Locking"],
        path: "Apps/Support/CommandKit/Sources/CommandKit",
        swiftSettings: settings
    ),
    .testTarget(
        name: "CommandKitTests",
        dependencies: ["CommandKit"],
        path: "Apps/Support/CommandKit/Tests/CommandKitTests",
        swiftSettings: settings
    ),
    .target(
        name: "ControlSocket",
        dependencies: ["Locking", "NostrEvents", "Sockets"],
        path: "Apps/Support/ControlSocket/Sources/ControlSocket",
        swiftSettings: settings
    ),
    .testTarget(
        name: "ControlSocketTests",
        dependencies: ["ControlSocket", "Locking", "NostrEvents", "Sockets"],
        path: "Apps/Support/ControlSocket/Tests/ControlSocketTests",
        swiftSettings: settings
    ),
    .target(
        name: "ServiceKit",
        dependencies: ["CommandKit", "Locking", "NostrEvents", "Sockets"],
        path: "Apps/Support/ServiceKit/Sources/ServiceKit",
        swiftSettings: settings
    ),
    .testTarget(
        name: "ServiceKitTests",
        dependencies: ["ServiceKit", "Sockets"],
        path: "Apps/Support/ServiceKit/Tests/ServiceKitTests",
        swiftSettings: settings
    ),
    .target(
        name: "PushRole",
        dependencies: ["APNs", "CommandKit", "LinkstrPush", "SQLite", "ServiceKit", "Sockets"],
        path: "Apps/Support/PushRole/Sources/PushRole",
        swiftSettings: settings
    ),
    .testTarget(
        name: "PushRoleTests",
        dependencies: ["CommandKit", "PushRole", "LinkstrPush", "ServiceKit", "Sockets"],
        path: "Apps/Support/PushRole/Tests/PushRoleTests",
        swiftSettings: settings
    ),
    .target(name: "QRCode", path: "Apps/Support/QRCode/Sources/QRCode", swiftSettings: settings),
    .testTarget(
        name: "QRCodeTests",
        dependencies: ["QRCode"],
        path: "Apps/Support/QRCode/Tests/QRCodeTests",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "linkstr",
        dependencies: [
            "CommandKit", "ControlSocket", "LinkMetadata", "LinkstrClient", "LinkstrLinks", "LinkstrSessions",
            "Locking", "Negentropy",
            "NostrContacts",
            "NostrCrypto", "NostrEvents", "NostrGiftWrap", "NostrPreferences", "NostrRelay", "NostrStore",
            "NostrTransport", "QRCode", "SQLite", "ServiceKit", "Sockets", "WebSocket",
        ],
        path: "Apps/linkstr",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "linkstrd",
        dependencies: [
            "CommandKit", "ControlSocket", "LinkstrClient", "LinkstrPush", "Locking", "NostrCrypto", "NostrEvents",
            "NostrRelay", "NostrStore", "NostrTransport", "PushRole", "SQLite", "ServiceKit", "Sockets",
        ],
        path: "Apps/linkstrd",
        swiftSettings: settings
    ),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "linkstr", "linkstrd", "CommandKit", "ControlSocket", "FaultyRelay", "Locking", "NostrCrypto",
            "NostrEvents", "Sockets", "TestSupport", "WebSocket",
        ],
        path: "Tests/EndToEndTests",
        swiftSettings: settings
    ),
    .testTarget(
        name: "SimulationTests",
        dependencies: [
            "FaultyRelay", "LinkstrClient", "LinkstrLinks", "LinkstrSessions", "Locking", "NostrCrypto", "NostrEvents",
            "NostrTransport", "Sockets", "TestSupport", "WebSocket",
        ],
        path: "Tests/SimulationTests",
        swiftSettings: settings
    ),
]

let proofs: [Target] = [
    .executableTarget(
        name: "fuzz",
        dependencies: [
            "APNs", "ControlSocket", "FaultyRelay", "LinkMetadata", "LinkstrLinks", "LinkstrPush", "LinkstrSessions",
            "Negentropy", "NostrContacts", "NostrCrypto",
            "NostrEvents", "NostrGiftWrap", "NostrPreferences", "NostrRelay", "NostrStore", "NostrTransport", "SQLite",
            "Sockets", "WebSocket",
        ],
        path: "Tests/Fuzz",
        exclude: ["Corpus"],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "wsecho",
        dependencies: ["NostrRelay", "Sockets", "WebSocket"],
        path: "Tests/Autobahn/wsecho",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "faultyrelays",
        dependencies: ["FaultyRelay", "Locking", "NostrCrypto", "NostrEvents", "Sockets", "WebSocket"],
        path: "Tests/Soak/faultyrelays",
        swiftSettings: settings
    ),
    .target(name: "CAllocations", path: "Tests/Benchmarks/Sources/CAllocations"),
    .executableTarget(
        name: "transportbench",
        dependencies: ["FaultyRelay", "NostrCrypto", "NostrEvents", "NostrTransport", "Sockets", "WebSocket"],
        path: "Tests/Benchmarks/Sources/transportbench",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "pushbench",
        dependencies: ["APNs", "LinkstrPush", "NostrCrypto", "NostrEvents", "SQLite", "Sockets"],
        path: "Tests/Benchmarks/Sources/pushbench",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "storebench",
        dependencies: ["Negentropy", "NostrCrypto", "NostrEvents", "NostrStore", "SQLite"],
        path: "Tests/Benchmarks/Sources/storebench",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "relaybench",
        dependencies: ["NostrCrypto", "NostrEvents", "Sockets", "WebSocket"],
        path: "Tests/Benchmarks/Sources/relaybench",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "bench",
        dependencies: [
            "CAllocations", "COpenSSL", "CSecp256k1", "CZlib", "LinkstrLinks", "LinkstrSessions", "NostrCrypto",
            "NostrEvents", "NostrGiftWrap", "SQLite", "Sockets", "WebSocket",
        ],
        path: "Tests/Benchmarks/Sources/bench",
        swiftSettings: settings
    ),
]

let support: [Target] = [
    .target(name: "TestSupport", path: "Tests/Support/Sources/TestSupport", swiftSettings: settings),
    .target(
        name: "FaultyRelay",
        dependencies: ["Negentropy", "NostrCrypto", "NostrEvents", "Sockets", "WebSocket"],
        path: "Tests/FaultyRelay/Sources/FaultyRelay",
        swiftSettings: settings
    ),
]

let package = Package(
    name: "linkstr",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Locking", targets: ["Locking"]),
        .library(name: "NostrCrypto", targets: ["NostrCrypto"]),
        .library(name: "SQLite", targets: ["SQLite"]),
        .library(name: "Sockets", targets: ["Sockets"]),
        .library(name: "WebSocket", targets: ["WebSocket"]),
        .library(name: "NostrEvents", targets: ["NostrEvents"]),
        .library(name: "NostrGiftWrap", targets: ["NostrGiftWrap"]),
        .library(name: "NostrContacts", targets: ["NostrContacts"]),
        .library(name: "NostrPreferences", targets: ["NostrPreferences"]),
        .library(name: "LinkstrLinks", targets: ["LinkstrLinks"]),
        .library(name: "LinkMetadata", targets: ["LinkMetadata"]),
        .library(name: "LinkstrSessions", targets: ["LinkstrSessions"]),
        .library(name: "LinkstrClient", targets: ["LinkstrClient"]),
        .library(name: "Negentropy", targets: ["Negentropy"]),
        .library(name: "NostrStore", targets: ["NostrStore"]),
        .library(name: "NostrTransport", targets: ["NostrTransport"]),
        .library(name: "NostrRelay", targets: ["NostrRelay"]),
        .library(name: "APNs", targets: ["APNs"]),
        .library(name: "LinkstrPush", targets: ["LinkstrPush"]),
        .executable(name: "linkstr", targets: ["linkstr"]),
        .executable(name: "linkstrd", targets: ["linkstrd"]),
    ],
    traits: [
        .trait(name: "Push", description: "The push gateway's connection to Apple, over HTTP/2 with libnghttp2")
    ],
    targets: systemLibraries + base + nostrCore + nostr + domain + product + apps + proofs + support
)

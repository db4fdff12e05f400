// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SystemLibraries",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "CSecp256k1", targets: ["CSecp256k1"]),
        .library(name: "COpenSSL", targets: ["COpenSSL"]),
        .library(name: "CZlib", targets: ["CZlib"]),
        .library(name: "CSQLite", targets: ["CSQLite"]),
        .library(name: "CNghttp2", targets: ["CNghttp2"]),
        .library(name: "CLinux", targets: ["CLinux"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSecp256k1",
            pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"]), .brew(["secp256k1"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
        ),
        .systemLibrary(name: "CLinux"),
    ]
)

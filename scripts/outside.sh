#!/usr/bin/env bash
# Three packages of somebody else, in a temporary folder: one depends on this repository by git URL and version and imports
# only NostrCrypto, two depend by path on Packages/NostrEvents and on Packages/NostrGiftWrap and import only these. All must
# build and run. What is committed is tested.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/bootstrap.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cache=${LINKSTR_SCRATCH:-$PWD/.build}/module-cache

git clone --quiet --bare . "$folder/linkstr.git"
git -C "$folder/linkstr.git" tag --force 0.1.0 HEAD >/dev/null
git clone --quiet . "$folder/linkstr"

package() { # NAME DEPENDENCY PRODUCT PACKAGE, the program on stdin
    mkdir -p "$folder/$1/Sources/$1"
    cat >"$folder/$1/Sources/$1/main.swift"
    cat >"$folder/$1/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$1",
    platforms: [.macOS(.v15)],
    dependencies: [$2],
    targets: [.executableTarget(name: "$1", dependencies: [.product(name: "$3", package: "$4")])]
)
MANIFEST
    local output
    output=$(cd "$folder/$1" && swift run --quiet --cache-path "$folder/cache" \
        -Xswiftc -module-cache-path -Xswiftc "$cache" "$1" 2>"$folder/$1.log") || {
        cat "$folder/$1.log" >&2
        echo "outside.sh: $1 does not build or run" >&2
        exit 1
    }
    [ "$output" = ok ] || {
        echo "outside.sh: $1 said '$output'" >&2
        exit 1
    }
    echo "$1: builds and runs"
}

package by-version ".package(url: \"file://$folder/linkstr.git\", exact: \"0.1.0\")" NostrCrypto linkstr <<'SWIFT'
import NostrCrypto

let keys = KeyPair.generate()
let digest = SHA256.hash(Array("outside".utf8))
let signature = keys.sign(digest)
print(keys.publicKey.verify(signature, digest: digest) ? "ok" : "wrong")
SWIFT

package by-path ".package(path: \"$folder/linkstr/Packages/NostrEvents\")" NostrEvents NostrEvents <<'SWIFT'
import NostrEvents

let filter = try Filter(json: #"{"kinds":[1],"limit":5}"#)
print(filter.limit == 5 ? "ok" : "wrong")
SWIFT

package wraps ".package(path: \"$folder/linkstr/Packages/NostrGiftWrap\")" NostrGiftWrap NostrGiftWrap <<'SWIFT'
import NostrGiftWrap

let now: Int64 = 1_700_000_000
let alice = GiftWrapper(sender: .generate())
let bob = GiftWrapOpener(owner: .generate())
let key = bob.owner.publicKey
let rumor = ChatMessage.rumor(.text("hello"), from: alice.sender.publicKey.bytes, to: [key.bytes], createdAt: now)
let wraps = try await alice.wrap(rumor, for: [key], ownCopy: .last, now: now)
let opened = try bob.open(wraps[0].event)
let message = try ChatMessage(opened)
print(opened.sender == alice.sender.publicKey && message.body == .text("hello") ? "ok" : "wrong")
SWIFT

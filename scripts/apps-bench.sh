#!/usr/bin/env bash
# Builds linkstr and linkstrd as they are released and measures whole commands and daemons over the loopback (Tests/Benchmarks/apps.py, whose
# options this takes). LINKSTR_SCRATCH names another folder for the build, LINKSTR_BIN a folder with programs that are built already.
set -euo pipefail
cd "$(dirname "$0")/.."
binaries=${LINKSTR_BIN:-}
if [ -z "$binaries" ]; then
    scratch=${LINKSTR_SCRATCH:-$PWD/.build}
    options=(-c release --static-swift-stdlib --scratch-path "$scratch/released" -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
    for product in linkstr linkstrd; do swift build "${options[@]}" --product $product >&2; done
    binaries=$(swift build "${options[@]}" --show-bin-path)
fi
uptime >&2
exec python3 Tests/Benchmarks/apps.py "$binaries" "$@"

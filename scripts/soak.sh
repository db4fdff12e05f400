#!/usr/bin/env bash
# The long runs.
#
#   scripts/soak.sh [--debug] [--minutes N] [--seed N] [--report FILE]
#       two daemons on five faulty relays for 24 hours, or N minutes: memory flat, descriptors flat, nothing lost; --debug takes a
#       debug build
#   scripts/soak.sh --transport [FAULTS] [SEED]
#       the relay client against relays that do something wrong, 20,000 faults of each kind of run by default; a seed replays one
#
# LINKSTR_SCRATCH names another folder for the build; with LINKSTR_BIN a folder that has linkstr, linkstrd and faultyrelays is used.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${LINKSTR_SCRATCH:-$PWD/.build}
options=(-Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
if [ "${1:-}" = --transport ]; then
    export LINKSTR_SOAK_FAULTS=${2:-20000}
    [ $# -lt 3 ] || export LINKSTR_SOAK_SEED=$3
    exec swift test --package-path Packages/NostrTransport --scratch-path "$scratch/soak" --filter SoakTests "${options[@]}"
fi
if [ -z "${LINKSTR_BIN:-}" ]; then
    scripts/bootstrap.sh
    if [ "${1:-}" = --debug ]; then
        shift
        # The folder and the options of a plain `swift build`, which may have built most of it.
        options=(--scratch-path "$scratch")
        LINKSTR_BIN=$scratch/debug
    else
        options+=(-c release --scratch-path "$scratch/release")
        LINKSTR_BIN=$scratch/release/release
    fi
    for product in linkstr linkstrd faultyrelays; do
        swift build "${options[@]}" --product $product >&2
    done
fi
exec python3 Tests/Soak/soak.py --bin "$LINKSTR_BIN" --relays "$LINKSTR_BIN/faultyrelays" "$@"

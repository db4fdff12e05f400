#!/usr/bin/env bash
# Builds the benchmarks for release and prints them; arguments go to the program (`scripts/bench.sh --help`).
#
#   scripts/bench.sh --json FILE           also as JSON; scripts/bench-compare.sh compares two of these
#   scripts/bench.sh --check-allocations   only counts allocations; fails when one rose by more than 5 %
#   scripts/bench.sh --keep-allocations    writes the counts that this is checked against
#
# LINKSTR_SCRATCH names another folder for the build. Where `scripts/bootstrap.sh --peers` has installed nostr-sdk, the rows that
# have it beside them run too; relays are beside each other in scripts/relay-bench.sh --peers.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${LINKSTR_SCRATCH:-$PWD/.build}
options=(-c release --scratch-path "$scratch/bench" -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
swift build "${options[@]}" --product bench >&2
kept=Tests/Benchmarks/allocations.json
case ${1:-} in
--check-allocations)
    shift
    set -- --allocations $kept "$@"
    ;;
--keep-allocations) set -- --write-allocations $kept ;;
*) [ ! -x .build/peers/bin/python3 ] || set -- --peer .build/peers/bin/python3 "$@" ;;
esac
exec "$(swift build "${options[@]}" --show-bin-path)/bench" "$@"

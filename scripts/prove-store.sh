#!/usr/bin/env bash
# The proofs of the event database and the relay, with their full counts. Each part is a command of its own and fails if its proof
# does.
#
#   scripts/prove-store.sh                  every part but autobahn, which takes an hour by itself
#   scripts/prove-store.sh PART...          some of them:
#
#   differential    the database against a model in memory: 204,000 filters, as many counts, 6,800 sorted sets (LINKSTR_STORE_SEEDS)
#   kills           kill -9 of a process that stores, 200 times (LINKSTR_STORE_KILLS)
#   relay-kills     kill -9 of `relay serve` while a client publishes, 200 times (LINKSTR_RELAY_KILLS)
#   hostile         a good client's latency among hostile ones, at most three times that without them
#   million         1,000,000 events into the database and through the relay: size, opening, requests (LINKSTR_STORE_EVENTS)
#   peers           accepted events a second beside nostr-sdk's relay in memory, and strfry where it is on the PATH
#   autobahn        Autobahn's server cases behind the relay's front end
#
# LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
export LINKSTR_SCRATCH=$scratch
modules=(-Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
options=(--scratch-path "$scratch/tests" "${modules[@]}")
# Optimised, or the full counts take longer than a test may.
store_options=(-c release --package-path Packages/NostrStore --scratch-path "$scratch/store-tests" "${modules[@]}"
    -Xswiftc -enable-testing)

# tests FILTER OPTION...: runs the suites of the filter in what the options build.
tests() {
    local filter=$1 log
    shift
    swift build --build-tests "$@" >&2
    log=$(mktemp)
    swift test --skip-build --disable-xctest "$@" --filter "$filter" >"$log" 2>&1 || {
        grep -aE '^✘|recorded an issue' "$log" >&2 || tail -n 20 "$log" >&2
        rm "$log"
        return 1
    }
    grep -a '✔ Test run with' "$log"
    rm "$log"
}

prove() {
    printf '== %s (load %s)\n' "$1" "$(cut -d' ' -f1 /proc/loadavg)"
    case $1 in
    differential)
        export LINKSTR_STORE_SEEDS=${LINKSTR_STORE_SEEDS:-170}
        tests '^NostrStoreTests\.DifferentialTests' "${store_options[@]}"
        ;;
    kills)
        export LINKSTR_STORE_KILLS=${LINKSTR_STORE_KILLS:-200}
        tests '^NostrStoreTests\.KillTests' "${store_options[@]}"
        ;;
    relay-kills)
        export LINKSTR_RELAY_KILLS=${LINKSTR_RELAY_KILLS:-200}
        tests '^EndToEndTests\.RelayCommandTests/afterAKill' "${options[@]}"
        ;;
    hostile) scripts/relay-bench.sh -- hostile ;;
    million)
        local events=${LINKSTR_STORE_EVENTS:-1000000} folder
        swift build -c release --product storebench --scratch-path "$scratch/release" \
            -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache" >&2
        folder=$(mktemp -d)
        "$scratch/release/release/storebench" "$folder/events.db" "$events"
        rm -r "$folder"
        scripts/relay-bench.sh -- --events "$events" publish latency query
        ;;
    # With more, that relay resets connections.
    peers) scripts/relay-bench.sh --peers -- --events 30000 publish ;;
    autobahn) scripts/autobahn.sh --relay ;;
    *)
        echo "prove-store.sh: unknown part $1" >&2
        exit 64
        ;;
    esac
}

[ $# -gt 0 ] || set -- differential kills relay-kills hostile million peers
for part in "$@"; do prove "$part"; done

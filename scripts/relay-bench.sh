#!/usr/bin/env bash
# Measures linkstr's relay with Tests/Benchmarks/Sources/relaybench, over a database of its own in a temporary directory.
#
#   scripts/relay-bench.sh [relay serve's options] -- [relaybench's stages and options]
#   scripts/relay-bench.sh --peers ...      the same for the in-memory relay of nostr-sdk (PyPI) and for strfry if it is on the
#                                           PATH, right before: only ratios within one run mean anything
#
# At the end it says which share of the relay's processor time went into verification. LINKSTR_SCRATCH names another folder
# for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
peers=no
if [ "${1:-}" = --peers ]; then
    peers=yes
    shift
    scripts/bootstrap.sh --peers
fi
for product in linkstr relaybench; do
    swift build -c release --product $product --scratch-path "$scratch/release" \
        -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache" >&2
done

options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
done
[ $# -eq 0 ] || shift

bench=$scratch/release/release/relaybench
folder=$(mktemp -d)
started=
trap '[ -z "$started" ] || kill "$started" 2>/dev/null || true; rm -rf "$folder"' EXIT

# Accepted events a second in what relaybench has said in file $1; nothing where it did not publish.
accepted() { sed -n 's/^publish: \([0-9]*\) accepted a second.*/\1/p' "$1"; }

# Waits for what process $1 prints first into file $2: the address of a relay.
address() {
    until [ -s "$2" ]; do
        kill -0 "$1" || exit 1
        sleep 0.05
    done
    head -1 "$2"
}

if [ $peers = yes ]; then
    uptime >&2
    mkfifo "$folder/input"
    .build/peers/bin/python3 Tests/Interop/memory_relay.py <"$folder/input" >"$folder/peer" &
    started=$!
    exec 7>"$folder/input"
    echo "-- nostr-sdk's relay, in memory"
    at=$(address $started "$folder/peer")
    "$bench" "$at" --pid $started "$@" | tee "$folder/nostr-sdk"
    exec 7>&-
    wait $started || true
    started=
    if command -v strfry >/dev/null; then
        mkdir "$folder/strfry.db"
        port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        cat >"$folder/strfry.conf" <<CONF
db = "$folder/strfry.db"
relay { bind = "127.0.0.1" port = $port nofiles = 0 }
CONF
        strfry --config "$folder/strfry.conf" relay >/dev/null 2>&1 &
        started=$!
        until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
            kill -0 $started
            sleep 0.05
        done
        echo "-- strfry"
        "$bench" "ws://127.0.0.1:$port" --pid $started "$@" | tee "$folder/strfry"
        kill $started
        wait $started || true
        started=
    else
        echo "-- strfry: not on the PATH"
    fi
    echo "-- linkstr"
fi

"$scratch/release/release/linkstr" relay serve --listen 127.0.0.1:0 --database "$folder/relay.db" \
    --max-connections 20000 --metrics 3600 ${options[@]+"${options[@]}"} >"$folder/output" &
started=$!
relay=$started
at=$(address $relay "$folder/output")
"$bench" "$at" --pid $relay "$@" | tee "$folder/linkstr"
for peer in nostr-sdk strfry; do
    [ -n "$(accepted "$folder/$peer" 2>/dev/null)" ] || continue
    python3 -c "print(f'publish: {$(accepted "$folder/linkstr") / $(accepted "$folder/$peer"):.2f} times $peer')"
done

used=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/$relay/stat)
kill $relay
wait $relay
started=
"$scratch/release/release/linkstr" store stats "$folder/relay.db"
tail -1 "$folder/output" | python3 -c "
import json, sys
counters = json.load(sys.stdin)
used = $used / $(getconf CLK_TCK)
print(f\"share of verification: {counters['verification_nanoseconds'] / 1e9 / used:.2f} of {used:.2f} s\")
print(f\"events in a commit: {counters['events_stored'] / max(1, counters['commits']):.0f}\")
"

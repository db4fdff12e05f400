#!/usr/bin/env bash
# Where the time of a kind of work goes, as a table: by library first, then by function. Samples the release build with perf.
#
#   scripts/profile.sh 'open a gift wrap, known'     a row of the benchmarks, its work alone without the floors
#   scripts/profile.sh --relay [EVENTS]              the relay while 16 clients publish, 50,000 events unless given
#
# LINKSTR_SCRATCH names another folder for the build. docs/profiles says what was learned from these.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v perf >/dev/null || {
    echo "profile.sh: no perf on the PATH (Debian: linux-perf)" >&2
    exit 69
}
scratch=${LINKSTR_SCRATCH:-$PWD/.build}
options=(-c release -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
data=$(mktemp)
folder=$(mktemp -d)
relay=
trap '[ -z "$relay" ] || kill "$relay" 2>/dev/null || true; rm -rf "$data" "$folder"' EXIT

if [ "${1:-}" = --relay ]; then
    for product in linkstr relaybench; do
        swift build "${options[@]}" --scratch-path "$scratch/release" --product $product >&2
    done
    "$scratch/release/release/linkstr" relay serve --listen 127.0.0.1:0 --database "$folder/relay.db" >"$folder/output" &
    relay=$!
    until [ -s "$folder/output" ]; do sleep 0.05; done
    perf record -q -F 997 -o "$data" -p $relay &
    sampler=$!
    "$scratch/release/release/relaybench" "$(head -1 "$folder/output")" --events "${2:-50000}" publish >&2
    kill -INT $sampler
    wait $sampler || true
else
    swift build "${options[@]}" --scratch-path "$scratch/bench" --product bench >&2
    perf record -q -F 997 -o "$data" "$scratch/bench/release/bench" --profile "${1:?a row of scripts/bench.sh --list}"
fi

report() { perf report -i "$data" --stdio --sort "$1" -w 0 -t '|' 2>/dev/null | grep -v '^#' | grep -v '^$'; }
printf '| share | library |\n|---|---|\n'
report dso | awk -F'|' '{ gsub(/ /, "", $1); gsub(/^ +| +$/, "", $2); if ($1 + 0 >= 1) printf "| %s | %s |\n", $1, $2 }'
printf '\n| share | library | function |\n|---|---|---|\n'
# Functions without a name are the assembler of the C libraries; they are in the first table.
report dso,symbol | swift demangle --simplified | awk -F'|' '{ gsub(/ /, "", $1); gsub(/^ +| +$/, "", $2); name = $3; for (i = 4; i <= NF; i++) name = name "|" $i
    sub(/^ *\[[.k]\] /, "", name); sub(/   .*$/, "", name); sub(/ *\|-.*$/, "", name); gsub(/\|/, "\\|", name); gsub(/ +$/, "", name)
    if ($1 + 0 >= 0.5 && name !~ /^0x/) printf "| %s | %s | `%s` |\n", $1, $2, substr(name, 1, 110) }' | head -n 25

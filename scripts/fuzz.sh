#!/usr/bin/env bash
# Fuzzes what reads hostile bytes, under the address sanitiser.
#
#   scripts/fuzz.sh                        every target, 60 s each
#   scripts/fuzz.sh --seconds 20 [TARGET...]
#   scripts/fuzz.sh --seed 1 ...           the same random choices every time
#   scripts/fuzz.sh --build                only builds
#
# A build that must tell whether a change broke something passes a seed; a search for what nobody has seen yet does not.
# The committed inputs of Tests/Fuzz/Corpus/TARGET are the start, what the fuzzer finds is kept in .build/fuzz/corpus,
# and an input that fails is written to .build/fuzz/failures: make it a test before you mend what it found.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
seed=0
only_build=no
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds)
        seconds=${2:?--seconds takes a number}
        shift 2
        ;;
    --seed)
        seed=${2:?--seed takes a number}
        shift 2
        ;;
    --build)
        only_build=yes
        shift
        ;;
    -*)
        echo "fuzz.sh: unknown option $1 (known: --seconds N, --seed N, --build)" >&2
        exit 64
        ;;
    *)
        targets+=("$1")
        shift
        ;;
    esac
done

scripts/bootstrap.sh --push

scratch=${LINKSTR_SCRATCH:-$PWD/.build}/fuzz
# The system's default linker fails on the symbols that -sanitize=fuzzer brings; lld comes with the toolchain.
swift build --product fuzz --traits Push --scratch-path "$scratch" \
    -Xswiftc -module-cache-path -Xswiftc "${scratch%/fuzz}/module-cache" \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -DFUZZING -Xswiftc -O \
    -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld
[ $only_build = no ] || exit 0
fuzz=$scratch/debug/fuzz
# Without this a crash waits for a debugger.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=1
# Where an input runs a connection on an event loop, weak references that still are in use look leaked; see there.
export LSAN_OPTIONS=suppressions=$PWD/scripts/leaks.txt:print_suppressions=0

[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$fuzz" --list)
mkdir -p "$scratch/failures" "$scratch/logs"

run() {
    local name=$1 log=$scratch/logs/$1.log
    mkdir -p "$scratch/corpus/$name"
    if "$fuzz" "$name" -detect_leaks=1 -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$scratch/failures/$name-" "$scratch/corpus/$name" "Tests/Fuzz/Corpus/$name" >"$log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, nothing found"
    else
        tail -n 40 "$log" >&2
        echo "$name: FAILED, the input is in $scratch/failures" >&2
        return 1
    fi
}

failed=0
running=0
jobs=$(getconf _NPROCESSORS_ONLN)
for name in "${targets[@]}"; do
    [ -d "Tests/Fuzz/Corpus/$name" ] || {
        echo "fuzz.sh: no corpus Tests/Fuzz/Corpus/$name" >&2
        exit 64
    }
    if [ $running -ge "$jobs" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    run "$name" &
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit $failed

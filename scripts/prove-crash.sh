#!/usr/bin/env bash
# Kills linkstr and linkstrd with SIGKILL at random instants while they send and restore: what was reported as sent is on the relay
# and in the database, nothing else is there as if it had been sent, and every next start is clean. Fails where that is not so.
#
#   scripts/prove-crash.sh                       300 rounds
#   scripts/prove-crash.sh --kills N --seed N    others
#
# LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

export LINKSTR_CRASH_KILLS=300 LINKSTR_CRASH_SEED=1
while [ $# -gt 0 ]; do
    case $1 in
    --kills) LINKSTR_CRASH_KILLS=${2:?--kills takes a number} ;;
    --seed) LINKSTR_CRASH_SEED=${2:?--seed takes a number} ;;
    *)
        echo "prove-crash.sh: unknown option $1 (known: --kills, --seed)" >&2
        exit 64
        ;;
    esac
    shift 2
done

scripts/bootstrap.sh --tests
scratch=${LINKSTR_SCRATCH:-$PWD/.build}
options=(--traits Push --scratch-path "$scratch/tests" -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
swift build --build-tests "${options[@]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --skip-build --disable-xctest "${options[@]}" --filter '^EndToEndTests\.CrashTests' >"$log" 2>&1 || status=$?
grep -aE '^crash:|recorded an issue|✔ Test run with|✘ Test run with' "$log" || tail -n 20 "$log"
exit $status

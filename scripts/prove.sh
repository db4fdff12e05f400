#!/usr/bin/env bash
# Every proof with its full count, one after the other, and one report of all: .build/prove/report.md, with what each of them said
# in .build/prove/logs. A proof that fails does not end the others. The whole takes more than a day, most of it the long run.
#
#   scripts/prove.sh                 everything
#   scripts/prove.sh --short         a share of everything, in about an hour on two cores
#   scripts/prove.sh [--short] PART...   some of it; scripts/prove.sh --list names the parts
#
# LINKSTR_SCRATCH names another folder for the builds.
set -euo pipefail
cd "$(dirname "$0")/.."

short=no
list=no
chosen=()
for argument in "$@"; do
    case $argument in
    --short) short=yes ;;
    --list) list=yes ;;
    -*)
        echo "prove.sh: unknown option $argument (known: --short, --list)" >&2
        exit 64
        ;;
    *) chosen+=("$argument") ;;
    esac
done

names=()
declare -A whole share what
# NAME, what it proves, the command with the full counts, and the one with a share of them (- where there is none).
part() {
    names+=("$1")
    what[$1]=$2
    whole[$1]=$3
    share[$1]=$4
}

part sources "format, comments, manifests, picture" 'scripts/lint.sh' 'scripts/lint.sh'
part tests "every test" 'scripts/test.sh' 'scripts/test.sh'
part sessions "session histories against a model, kills between and in batches" \
    'LINKSTR_SESSION_SEEDS=20000 LINKSTR_SESSION_KILLS=200 scripts/test.sh --suites LinkstrSessionsTests' \
    'LINKSTR_SESSION_SEEDS=200 LINKSTR_SESSION_KILLS=10 scripts/test.sh --suites LinkstrSessionsTests'
part contacts "devices and relays that change one follow list" \
    'CONTACTS_SEEDS=10000 PREFERENCES_SEEDS=10000 scripts/test.sh --suites "NostrContactsTests NostrPreferencesTests"' \
    'CONTACTS_SEEDS=300 PREFERENCES_SEEDS=300 scripts/test.sh --suites "NostrContactsTests NostrPreferencesTests"'
part store "the event database against a model, kills of it and of the relay, hostile clients, a million events" \
    'scripts/prove-store.sh' \
    'LINKSTR_STORE_SEEDS=10 LINKSTR_STORE_KILLS=10 LINKSTR_RELAY_KILLS=5 scripts/prove-store.sh differential kills relay-kills'
part transport "the relay client against relays that do something wrong" \
    'scripts/soak.sh --transport 20000' 'scripts/soak.sh --transport 300'
part simulation "devices and relays with loss, delay, restarts and wrong clocks" \
    'LINKSTR_SIMULATION_SEEDS=500 scripts/test.sh --suites SimulationTests' 'LINKSTR_SIMULATION_SEEDS=20 scripts/test.sh --suites SimulationTests'
part crash "kill -9 of the command line and the daemon" \
    'scripts/prove-crash.sh --kills 300' 'scripts/prove-crash.sh --kills 10'
part push "the push gateway from outside, kills, two on one database" \
    'scripts/push.sh --kills 200 --seconds 3600' 'scripts/push.sh --kills 3 --seconds 8'
part interop "implementations from PyPI" 'scripts/interop.sh --full' 'scripts/interop.sh'
part autobahn "WebSocket conformance, client and server" 'scripts/autobahn.sh' "scripts/autobahn.sh --cases '1.* 5.*'"
part autobahn-relay "WebSocket conformance of the relay" 'scripts/autobahn.sh --relay' "scripts/autobahn.sh --relay --cases '1.* 5.*'"
part outside "packages of others that depend on these" 'scripts/outside.sh' 'scripts/outside.sh'
part readme "the README's commands" 'scripts/check-readme' 'scripts/check-readme'
part documentation "no public symbol without documentation; the site" 'scripts/docs.sh' 'scripts/docs.sh --check'
part allocations "allocations of an operation" 'scripts/bench.sh --check-allocations' 'scripts/bench.sh --check-allocations'
part package "the release, twice the same bytes, and the demonstration from it" \
    'scripts/package.sh --twice' 'scripts/package.sh'
part fuzzing "hostile bytes, under the address sanitiser" 'scripts/fuzz.sh --seconds 600' 'scripts/fuzz.sh --seconds 5 --seed 1'
part sanitisers "every test under the address and the thread sanitiser" \
    'scripts/sanitize.sh' 'scripts/sanitize.sh address --suites "LockingTests NegentropyTests SQLiteTests"'
part soak "two daemons on faulty relays: memory and descriptors flat, nothing lost" \
    'scripts/soak.sh' 'scripts/soak.sh --minutes 3'

if [ $list = yes ]; then
    for name in "${names[@]}"; do printf '%-16s %s\n' "$name" "${what[$name]}"; done
    exit 0
fi
[ ${#chosen[@]} -gt 0 ] || chosen=("${names[@]}")
for name in "${chosen[@]}"; do
    [ -n "${what[$name]:-}" ] || {
        echo "prove.sh: no part $name (scripts/prove.sh --list)" >&2
        exit 64
    }
done

folder=${LINKSTR_SCRATCH:-$PWD/.build}/prove
mkdir -p "$folder/logs"
report=$folder/report.md
title=$([ $short = yes ] && echo 'A share of the proofs' || echo 'The proofs')
{
    printf '# %s\n\n' "$title"
    printf '%s, revision %s, %s processors, %s\n\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$(git rev-parse --short HEAD)$(git diff --quiet HEAD || echo ' with changes')" \
        "$(getconf _NPROCESSORS_ONLN)" "$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -1)"
    printf '| proof | command | holds | load | took | its last words |\n|---|---|---|---|---|---|\n'
} >"$report"

failed=()
for name in "${chosen[@]}"; do
    command=${whole[$name]}
    [ $short = no ] || command=${share[$name]}
    load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')
    printf '== %s: %s\n' "$name" "$command" >&2
    begin=$SECONDS
    holds=yes
    bash -c "$command" >"$folder/logs/$name.log" 2>&1 || holds=no
    took=$((SECONDS - begin))
    last=$(grep -av '^$' "$folder/logs/$name.log" | tail -n 1 | cut -c 1-160 | tr '|' '/')
    [ $holds = yes ] || {
        failed+=("$name")
        tail -n 5 "$folder/logs/$name.log" >&2
    }
    printf '| %s: %s | `%s` | %s | %s | %s s | %s |\n' "$name" "${what[$name]}" "$command" "$([ $holds = yes ] && echo yes || echo '**no**')" \
        "$load" "$took" "$last" >>"$report"
done

if [ ${#failed[@]} -gt 0 ]; then
    printf '\nDoes not hold: %s\n' "${failed[*]}" >>"$report"
    echo "prove.sh: does not hold: ${failed[*]}; see $report" >&2
    exit 1
fi
printf '\nAll of it holds.\n' >>"$report"
echo "all ${#chosen[@]} proofs hold, see $report"

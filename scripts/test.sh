#!/usr/bin/env bash
# Installs what the tests need and runs them.
#
#   scripts/test.sh                                   everything
#   scripts/test.sh NostrCrypto                       one package, alone
#   scripts/test.sh --suites 'SocketsTests SQLiteTests'   some test targets of the tree
#   scripts/test.sh --sanitize address [...]          the same under a sanitiser (address or thread)
#   scripts/test.sh --build [...]                     only builds
#
# Test targets run one after the other, each in a process of its own: tests that use up descriptors, block threads or measure
# time must not meet in one. What follows -- goes to each swift test. LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=
package=
suites=
only_build=no
while [ $# -gt 0 ]; do
    case $1 in
    --sanitize)
        sanitizer=${2:?--sanitize takes address or thread}
        shift 2
        ;;
    --suites)
        suites=${2:?--suites takes names of test targets}
        shift 2
        ;;
    --build)
        only_build=yes
        shift
        ;;
    --)
        shift
        break
        ;;
    -*)
        echo "test.sh: unknown option $1 (known: --sanitize address|thread, --suites NAMES, --build)" >&2
        exit 64
        ;;
    *)
        package=$1
        shift
        ;;
    esac
done

scripts/bootstrap.sh --tests

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
options=(-Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
case $sanitizer in
'') scratch=$scratch/tests ;;
address | thread)
    options+=(--sanitize "$sanitizer")
    scratch=$scratch/tests-$sanitizer
    ;;
*)
    echo "test.sh: no sanitiser $sanitizer (known: address, thread)" >&2
    exit 64
    ;;
esac
folder=.
if [ -n "$package" ]; then
    folder=Packages/$package
    [ -f "$folder/Package.swift" ] || {
        echo "test.sh: no package $package in Packages/" >&2
        exit 64
    }
    scratch=$scratch-$package
fi
# The push gateway's connection to Apple is behind a trait, because it needs one more library.
if grep -q 'trait(name: "Push"' "$folder/Package.swift"; then options+=(--traits Push); fi
options+=(--package-path "$folder" --scratch-path "$scratch")
if [ "${CI:-}" = true ]; then options+=(-Xswiftc -warnings-as-errors); fi
export SWIFT_BACKTRACE=${SWIFT_BACKTRACE:-interactive=no,color=no}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$PWD/scripts/leaks.txt:print_suppressions=0}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}

swift build --build-tests "${options[@]}"
[ $only_build = no ] || exit 0

if [ -z "$suites" ]; then
    suites=$(swift package --package-path "$folder" --scratch-path "$scratch" dump-package |
        python3 -c 'import json, sys; print(*[one["name"] for one in json.load(sys.stdin)["targets"] if one["type"] == "test"])')
fi

# Who reads this wants what failed and the summaries, not the start of each of thousands of cases.
condense() {
    LC_ALL=C awk '/^✔ Test run with/ { print; next } /^(◇ |✔ Test |✔ Suite |↳|\[[0-9]+\/|Build)/ { next } { print substr($0, 1, 600) }'
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
tests=0
for suite in $suites; do
    printf -- '-- %s\n' "$suite"
    status=0
    # Some wait for processes with their threads blocked, some work for seconds under the slower sanitiser: side by side they would
    # leave no thread to the clients among them.
    serial=()
    case $suite-$sanitizer in EndToEndTests-* | NostrRelayTests-thread) serial=(--no-parallel) ;; esac
    swift test --skip-build --disable-xctest "${serial[@]}" "${options[@]}" --filter "^$suite\." "$@" >"$log" 2>&1 || status=$?
    condense <"$log"
    # A run that crashes has no summary; whatever it returns, it has failed.
    count=$(LC_ALL=C sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
    tests=$((tests + ${count:-0}))
    if [ $status != 0 ] || ! grep -aq '✔ Test run with' "$log"; then failed+=("$suite"); fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "test.sh: $tests tests ran; failed: ${failed[*]}" >&2
    exit 1
fi
echo "✔ $tests tests passed in $(wc -w <<<"$suites") test targets"
echo "$tests passed, 0 failed"

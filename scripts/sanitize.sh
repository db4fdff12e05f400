#!/usr/bin/env bash
# Every test under the address sanitiser, and under the thread sanitiser, each in a build of its own.
#
#   scripts/sanitize.sh                          both, everything
#   scripts/sanitize.sh thread [test.sh's options]   one of them, and what scripts/test.sh takes
set -euo pipefail
cd "$(dirname "$0")/.."

kinds=(address thread)
case ${1:-} in
address | thread)
    kinds=("$1")
    shift
    ;;
esac
failed=()
for kind in "${kinds[@]}"; do
    printf '== %s\n' "$kind"
    scripts/test.sh --sanitize "$kind" "$@" || failed+=("$kind")
done
[ ${#failed[@]} -eq 0 ] || {
    echo "sanitize.sh: not clean: ${failed[*]}" >&2
    exit 1
}

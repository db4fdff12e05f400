#!/usr/bin/env bash
# Formatting, documentation comments, manifests, and what is made from committed files: the picture of the manifest, the table of quality.
# `scripts/lint.sh --fix` rewrites the sources in the committed format.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files -co --exclude-standard -- '*.swift' | while read -r name; do [ -f "$name" ] && echo "$name"; done)
if [ "${1:-}" = --fix ]; then
    swift format format --in-place --parallel "${sources[@]}"
else
    swift format lint --strict --parallel "${sources[@]}"
fi
# Tests may trap; what others import may not, unless the system itself has nothing left to give.
if git grep -nE '\btry!|\bas!|fatalError\(' -- 'Packages/*/Sources/*' 'Apps/*' ':!*/Tests/*' |
    grep -vE 'fatalError\("(out of memory|the operating system gives no random bytes)'; then
    echo "lint.sh: the lines above trap instead of throwing" >&2
    exit 1
fi
scripts/check-docs
scripts/check-manifests
scripts/architecture-picture --check
scripts/quality-table.sh --check

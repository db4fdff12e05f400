#!/usr/bin/env bash
# The documentation site, of every package: its README as the article, and every public symbol. Fails when a public symbol of a
# package, or of what only the apps share, has no documentation.
#
#   scripts/docs.sh                    builds the modules, checks them, and makes the site in .build/docs
#   scripts/docs.sh --check            only checks
#   scripts/docs.sh --modules DIR ...  takes the modules of a build that there is already (its folder Modules)
#
# Read it with: python3 -m http.server --directory .build/docs, then http://localhost:8000/documentation
# LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

site=yes
modules=
while [ $# -gt 0 ]; do
    case $1 in
    --check)
        site=no
        shift
        ;;
    --modules)
        modules=$(cd "${2:?--modules takes a folder}" && pwd)
        shift 2
        ;;
    *)
        echo "docs.sh: unknown option $1 (known: --check, --modules DIR)" >&2
        exit 64
        ;;
    esac
done

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
if [ -z "$modules" ]; then
    scripts/bootstrap.sh --push
    for product in linkstr linkstrd; do
        swift build --product $product --traits Push --scratch-path "$scratch/tests" \
            -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache" >&2
    done
    modules=$scratch/tests/debug/Modules
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes=(-I "$modules")
for folder in Packages/SystemLibraries/Sources/*; do includes+=(-I "$PWD/$folder"); done
target=$(swiftc -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')

# The folder of each library that has documentation, and the package whose README introduces it.
libraries() {
    for folder in Packages/*/Sources/* Apps/Support/*/Sources/*; do
        case $folder in Packages/SystemLibraries/*) continue ;; esac
        echo "$(basename "$folder") $folder"
    done
}

extract() {
    mkdir -p "$work/symbols/$1"
    swift symbolgraph-extract -module-name "$1" "${includes[@]}" -target "$target" -minimum-access-level public \
        -output-dir "$work/symbols/$1" >"$work/$1.log" 2>&1 || {
        cat "$work/$1.log" >&2
        return 1
    }
}
export -f extract
export work target
# One process after another for each processor.
running=0
while read -r name _; do
    if [ $running -ge "$(getconf _NPROCESSORS_ONLN)" ]; then
        wait -n
        running=$((running - 1))
    fi
    extract "$name" &
    running=$((running + 1))
done < <(libraries)
while [ $running -gt 0 ]; do
    wait -n
    running=$((running - 1))
done

scripts/check-symbols "$work/symbols" "$PWD"
[ $site = yes ] || exit 0

mkdir "$work/archives"
touch "$work/warnings"
while read -r name folder; do
    case $folder in Packages/*) ;; *) continue ;; esac
    mkdir -p "$work/$name.docc"
    scripts/docs-article "$name" "${folder%/Sources/*}/README.md" "$work/$name.docc/$name.md"
    docc convert "$work/$name.docc" --additional-symbol-graph-dir "$work/symbols/$name" --output-path "$work/archives/$name.doccarchive" \
        --fallback-display-name "$name" --fallback-bundle-identifier "linkstr.$name" --transform-for-static-hosting \
        >"$work/$name.log" 2>&1 || {
        cat "$work/$name.log" >&2
        exit 1
    }
    grep -E '^(warning|error)' "$work/$name.log" >>"$work/warnings" || true
done < <(libraries)
rm -rf "$scratch/docs"
docc merge "$work"/archives/*.doccarchive --output-path "$scratch/docs" --synthesized-landing-page-name linkstr \
    --synthesized-landing-page-kind Project >"$work/merge.log" 2>&1 || {
    cat "$work/merge.log" >&2
    exit 1
}
cp docs/architecture.svg "$scratch/docs/"
# A parameter that its name explains needs no line; a link that leads nowhere is a mistake.
if grep -v "is missing documentation" "$work/warnings" >&2; then
    echo "docs.sh: mistakes in the documentation, see above" >&2
    exit 1
fi
echo "$scratch/docs: $(find "$scratch/docs/data" -name '*.json' | wc -l) pages of $(ls "$work/archives" | wc -l) modules"

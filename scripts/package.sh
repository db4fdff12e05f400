#!/usr/bin/env bash
# The release: a tarball of stripped programs with Swift's libraries inside and the push gateway, completions, manual pages, units
# and documentation. It is unpacked in an empty folder and the demonstration is run from there with nothing else of this tree.
#
#   scripts/package.sh                    builds, packs and tries it; the tarball is in .build/package
#   scripts/package.sh --twice            builds again from a copy of the sources elsewhere, and compares byte for byte
#   scripts/package.sh --binaries DIR     packs linkstr and linkstrd of DIR instead of building, twice, and compares (any build will do)
#
# SOURCE_DATE_EPOCH is the time of everything in it, the last commit's unless given. LINKSTR_SCRATCH names another folder for
# the build.
set -euo pipefail
# Without this a failure inside $(...) goes unseen.
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

twice=no
binaries=
while [ $# -gt 0 ]; do
    case $1 in
    --twice)
        twice=yes
        shift
        ;;
    --binaries)
        binaries=$(cd "${2:?--binaries takes a folder}" && pwd)
        shift 2
        ;;
    *)
        echo "package.sh: unknown option $1 (known: --twice, --binaries DIR)" >&2
        exit 64
        ;;
    esac
done

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
output=$scratch/package
mkdir -p "$output"
rm -rf "$output/tarball" "$output/again"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As they are now, whatever happens to them meanwhile. A longer name than that of the folder they are in, so that what depends on
# names cannot come out alike by chance.
mkdir "$work/sources"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar -x -C "$work/sources"

# Builds the sources in folder $1 with everything that a build makes in folder $2, and says where the programs are. Neither
# folder's name gets into them.
build() {
    local options=(-c release --static-swift-stdlib --traits Push --package-path "$1" --scratch-path "$2"
        -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache"
        -Xswiftc -file-prefix-map -Xswiftc "$1=/linkstr" -Xswiftc -file-prefix-map -Xswiftc "$2=/linkstr/.build")
    for product in linkstr linkstrd; do
        swift build "${options[@]}" --product $product >&2
    done
    swift build "${options[@]}" --show-bin-path
}

# Packs the programs of folder $1 into file $2.
pack() {
    local version name tree
    version=$("$1/linkstr" --version | cut -d' ' -f2)
    name=linkstr-$version-linux-$(uname -m)
    rm -rf "$work/tree"
    tree=$work/tree/$name
    mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
        "$tree/share/fish/vendor_completions.d" "$tree/lib/systemd" "$tree/share/doc/linkstr" "$tree/share/linkstr"
    for program in linkstr linkstrd; do
        # The identity of a build covers what is stripped, and the compiler's hashes of its modules (which only it reads, to compile
        # less the next time) cover names of folders: both would differ where the programs do not.
        strip --strip-all --remove-section .note.gnu.build-id --remove-section .comment --remove-section .swift_modhash \
            -o "$tree/bin/$program" "$1/$program"
        "$1/$program" completion bash >"$tree/share/bash-completion/completions/$program"
        "$1/$program" completion zsh >"$tree/share/zsh/site-functions/_$program"
        "$1/$program" completion fish >"$tree/share/fish/vendor_completions.d/$program.fish"
        "$1/$program" man --directory "$tree/share/man/man1" 2>/dev/null
    done
    gzip -9 -n "$tree"/share/man/man1/*
    cp -R "$work/sources/docs/systemd/system" "$work/sources/docs/systemd/user" "$tree/lib/systemd/"
    cp -R "$work"/sources/{LICENSE,README.md,docs} "$tree/share/doc/linkstr/"
    cp "$work/sources/scripts/run.sh" "$tree/share/linkstr/run.sh"
    find "$tree" -type d -exec chmod 755 {} +
    find "$tree" -type f -exec chmod 644 {} +
    chmod 755 "$tree"/bin/* "$tree/share/linkstr/run.sh"
    (cd "$work/tree" && LC_ALL=C tar --create --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name") |
        gzip -9 -n >"$2"
    echo "$name"
}

if [ -z "$binaries" ]; then
    scripts/bootstrap.sh --push
    folder=$(build "$PWD" "$scratch/release-package")
else
    folder=$binaries
fi
name=$(pack "$folder" "$work/tarball")
tarball=$output/$name.tar.gz

if [ $twice = yes ] || [ -n "$binaries" ]; then
    if [ $twice = yes ]; then
        folder=$(build "$work/sources" "$work/what-the-second-build-makes")
    fi
    pack "$folder" "$work/again" >/dev/null
    cmp "$work/tarball" "$work/again" || {
        for one in tarball again; do (mkdir "$output/$one" && tar -x -f "$work/$one" -C "$output/$one") || true; done
        diff -rq "$output/tarball" "$output/again" >&2 || true
        echo "package.sh: packed again, the tarball differs" >&2
        exit 1
    }
    echo "made twice, both times the same bytes"
fi
mv "$work/tarball" "$tarball"

# No name of this machine's folders, unless the programs were built by somebody else.
mkdir "$work/empty"
tar -x -f "$tarball" -C "$work/empty"
if [ -z "$binaries" ]; then
    for program in linkstr linkstrd; do
        if strings -a "$work/empty/$name/bin/$program" | grep -F -e "$PWD" -e "$scratch" -e "$HOME/"; then
            echo "package.sh: $program names folders of this machine" >&2
            exit 1
        fi
    done
fi

# As on a machine that has nothing of this tree: another folder, no environment.
(cd "$work/empty" && env -i PATH=/usr/bin:/bin HOME="$work/empty" ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$name/share/linkstr/run.sh" --demo) >"$work/demo" 2>&1 || {
    cat "$work/demo" >&2
    echo "package.sh: the demonstration fails from the tarball" >&2
    exit 1
}
tail -n 1 "$work/demo"
count=$(tar -t -f "$tarball" | grep -c '[^/]$')
echo "$tarball: $count files, $(du -k "$tarball" | cut -f1) KB"
(cd "$output" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")

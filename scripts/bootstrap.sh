#!/usr/bin/env bash
# Installs what the build needs and is missing: the four -dev packages and pkg-config.
# With --push also libnghttp2-dev, for the package trait Push (the push gateway); with --tests that and the openssl program, which
# the tests call; with --peers the implementations from PyPI that the tests exchange with, into .build/peers, and nghttpd.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=(pkg-config libsecp256k1-dev libssl-dev zlib1g-dev libsqlite3-dev)
peers=no
for argument in "$@"; do
    case $argument in
    --push) wanted+=(libnghttp2-dev) ;;
    --tests)
        wanted+=(libnghttp2-dev)
        command -v openssl >/dev/null || wanted+=(openssl)
        ;;
    --peers)
        peers=yes
        wanted+=(nghttp2-server)
        # Debian keeps what its own Python needs for virtual environments in a package by itself.
        python3 -c 'import ensurepip' 2>/dev/null || wanted+=(python3-venv)
        ;;
    *)
        echo "bootstrap.sh: unknown option $argument (known: --push, --tests, --peers)" >&2
        exit 64
        ;;
    esac
done

command -v swift >/dev/null || {
    echo "bootstrap.sh: no swift on the PATH; install the Swift 6.3 toolchain first (https://www.swift.org/install)" >&2
    exit 69
}

if [ "$(uname)" = Darwin ]; then
    command -v brew >/dev/null || {
        echo "bootstrap.sh: install Homebrew, or put secp256k1, openssl@3, zlib and sqlite where pkg-config finds them" >&2
        exit 69
    }
    brew install -q pkg-config secp256k1 openssl@3 zlib sqlite libnghttp2
elif command -v dpkg-query >/dev/null; then
    missing=()
    for name in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "installing ${missing[*]}" >&2
        root=()
        [ "$(id -u)" = 0 ] || root=(sudo)
        "${root[@]}" apt-get update -qq
        DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
    fi
fi

if [ $peers = yes ]; then
    venv=.build/peers
    if [ ! -x $venv/bin/python3 ] || ! cmp -s scripts/peers.txt $venv/peers.txt; then
        echo "installing the PyPI peers into $venv" >&2
        python3 -m venv --clear $venv
        $venv/bin/pip install --quiet --disable-pip-version-check -r scripts/peers.txt
        cp scripts/peers.txt $venv/peers.txt
    fi
fi

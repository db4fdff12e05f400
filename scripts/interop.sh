#!/usr/bin/env bash
# What linkstr makes, nostr-sdk (PyPI) must read, and the other way round; our WebSocket against PyPI's
# websockets; our client against nostr-sdk's and nostr-relay's relays; nostr-sdk's client against our relay; and a client of
# private sessions that shares nothing with linkstr.
#
#   scripts/interop.sh                    a share of the checks, in under a minute
#   scripts/interop.sh --full             all of them
#   scripts/interop.sh --texts N --wraps N --seed N --linkstr FILE
#
# LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap.sh --peers

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
build() {
    swift build -c release --product "$1" --scratch-path "$scratch/release" \
        -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache" >&2
}

messages=40
case " $* " in
*" --full "*) messages=400 ;;
esac
build wsecho
.build/peers/bin/python3 Tests/Interop/websocket.py --wsecho "$scratch/release/release/wsecho" --messages $messages

case " $* " in
*" --linkstr"*) ;;
*)
    build linkstr
    set -- --linkstr "$scratch/release/release/linkstr" "$@"
    ;;
esac
for argument in "$@"; do
    [ "${previous-}" != --linkstr ] || linkstr=$argument
    previous=$argument
done
.build/peers/bin/python3 Tests/Interop/qr.py --linkstr "$linkstr"
.build/peers/bin/python3 Tests/Interop/relays.py --linkstr "$linkstr"
.build/peers/bin/python3 Tests/Interop/sessions.py --linkstr "$linkstr"
.build/peers/bin/python3 Tests/Interop/embedded_relay.py --linkstr "$linkstr"
exec .build/peers/bin/python3 Tests/Interop/interop.py "$@"

#!/usr/bin/env bash
# The push gateway against clients and a look-alike of Apple's push service that were not written here: the rows of its interface,
# what arrives at Apple, the two apps from a post to a woken phone, kill -9 at random instants, and two gateways on one database.
#
#   scripts/push.sh                                  a share, in about a minute
#   scripts/push.sh --kills 200 --seconds 3600 --seed N
#   scripts/push.sh --gateway FILE ...               a linkstrd that is built already, with linkstr beside it
#
# LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap.sh --tests --peers

case " $* " in
*" --gateway "*) ASAN_OPTIONS=detect_leaks=0 exec .build/peers/bin/python3 Tests/Interop/push.py "$@" ;;
esac
scratch=${LINKSTR_SCRATCH:-$PWD/.build}
for product in linkstrd linkstr; do
    swift build --product "$product" --traits Push --scratch-path "$scratch/push" \
        -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache" >&2
done
exec .build/peers/bin/python3 Tests/Interop/push.py --gateway "$scratch/push/debug/linkstrd" "$@"

#!/usr/bin/env bash
# Runs Autobahn's WebSocket test suite against the WebSocket package, as client and as server, and writes the result to
# docs/autobahn.md. Fails when a case does not pass strictly.
#
#   scripts/autobahn.sh                     all cases (about an hour; the suite is slow, not what it tests)
#   scripts/autobahn.sh --cases '1.* 7.*'   some of them; docs/autobahn.md is left alone
#   scripts/autobahn.sh --relay             as server only, behind a relay's front end (its HTTP server, its WebSocket options,
#                                           an echo instead of Nostr), into docs/autobahn-relay.md
#
# Needs Python 2.7 (PYTHON27 names it, else it is looked for on the PATH and in ~/.pyenv). The suite is installed from PyPI
# into .build/autobahn. LINKSTR_SCRATCH names another folder for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

all='1.* 2.* 3.* 4.* 5.* 6.* 7.* 9.* 10.* 12.* 13.*'
cases=$all
relay=no
while [ $# -gt 0 ]; do
    case $1 in
    --cases)
        cases=${2:?--cases takes patterns}
        shift 2
        ;;
    --relay)
        relay=yes
        shift
        ;;
    *)
        echo "autobahn.sh: unknown option $1 (known: --cases PATTERNS, --relay)" >&2
        exit 64
        ;;
    esac
done

suite=$PWD/.build/autobahn
wstest=$suite/venv/bin/wstest
if [ ! -x "$wstest" ]; then
    # One that runs: a shim of pyenv may stand on the PATH for versions that are not chosen.
    python=${PYTHON27:-}
    for one in python2.7 ~/.pyenv/versions/2.7*/bin/python; do
        [ -n "$python" ] || ! "$one" -c '' 2>/dev/null || python=$one
    done
    [ -n "$python" ] || {
        echo "autobahn.sh: no Python 2.7; set PYTHON27" >&2
        exit 69
    }
    echo "installing autobahntestsuite into $suite" >&2
    mkdir -p "$suite"
    "$python" -m pip install --quiet --disable-pip-version-check 'virtualenv<20.22' --target "$suite/virtualenv" 2>"$suite/pip.log"
    PYTHONPATH=$suite/virtualenv "$python" -m virtualenv --quiet "$suite/venv"
    "$suite/venv/bin/pip" install --quiet --disable-pip-version-check autobahntestsuite 2>>"$suite/pip.log"
fi

scratch=${LINKSTR_SCRATCH:-$PWD/.build}
build=(-c release --product wsecho --scratch-path "$scratch/bench" -Xswiftc -module-cache-path -Xswiftc "$scratch/module-cache")
swift build "${build[@]}" >&2
wsecho=$(swift build "${build[@]}" --show-bin-path)/wsecho

run=$suite/run
rm -rf "$run"
mkdir -p "$run"
started=()
trap 'for one in "${started[@]}"; do kill "$one" 2>/dev/null || true; done' EXIT

# A free port for our server and one for each part of the suite.
parts=()
if [ "$cases" = "$all" ]; then
    parts=('1.* 2.* 3.* 4.* 5.* 6.* 7.* 10.*' '9.*' '12.*' '13.*')
else
    parts=("$cases")
fi
mapfile -t ports < <(python3 - $((${#parts[@]} + 1)) <<'PYTHON'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
for one in sockets: print(one.getsockname()[1])
PYTHON
)
echo_port=${ports[-1]}

wait_for() {
    for _ in $(seq 300); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    echo "autobahn.sh: nothing listens on port $1" >&2
    return 1
}

# Some cases of the suite, by our client and by our server at once: the suite's Python is what takes the time.
run_part() {
    local part=$1 port=$2 list
    mkdir -p "$run/$part"
    list=$(printf '"%s",' $(set -f; echo ${parts[$part]}))
    list=[${list%,}]
    cat >"$run/$part/server.json" <<JSON
{"url": "ws://127.0.0.1:$port", "outdir": "$run/$part/client", "cases": $list, "exclude-cases": [], "exclude-agent-cases": {}}
JSON
    cat >"$run/$part/client.json" <<JSON
{"outdir": "$run/$part/server", "servers": [{"agent": "linkstr", "url": "ws://127.0.0.1:$echo_port"}],
 "cases": $list, "exclude-cases": [], "exclude-agent-cases": {}}
JSON
    "$wstest" -m fuzzingclient -s "$run/$part/client.json" >"$run/$part/fuzzingclient.log" 2>&1 &
    local client=$!
    if [ $relay = yes ]; then
        trap 'kill $client 2>/dev/null || true' EXIT
        wait "$client"
        return
    fi
    "$wstest" -m fuzzingserver -u 0 -s "$run/$part/server.json" >"$run/$part/fuzzingserver.log" 2>&1 &
    local server=$!
    trap 'kill $server $client 2>/dev/null || true' EXIT
    wait_for "$port"
    "$wsecho" client "ws://127.0.0.1:$port" >"$run/$part/client.log" 2>&1
    wait "$client"
}

mode=server
[ $relay = no ] || mode=relay
"$wsecho" $mode "$echo_port" >"$run/server.log" 2>&1 &
started+=($!)
wait_for "$echo_port"
running=()
for part in "${!parts[@]}"; do
    run_part "$part" "${ports[$part]}" &
    running+=($!)
    started+=($!)
done
for one in "${running[@]}"; do
    wait "$one" || {
        tail -n 3 "$run"/*/*.log >&2
        exit 1
    }
done

report=/dev/stdout
if [ "$cases" = "$all" ]; then
    report=docs/autobahn.md
    [ $relay = no ] || report=docs/autobahn-relay.md
fi
scripts/autobahn-summary.py "$run" "$("$wstest" -a 2>&1 | tr '\n' ' ')" "$report" $mode

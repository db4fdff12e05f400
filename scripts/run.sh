#!/usr/bin/env bash
# From a clone to a running daemon, on Debian 12 with a Swift toolchain.
#
#     scripts/run.sh          installs what is missing, builds, starts linkstrd with its own relay, makes an account if there is none
#     scripts/run.sh --demo   the same, then two accounts share a link in a temporary home; prints what they typed, and exits with 0
#     scripts/run.sh --stop   ends the daemon that was started
#
# LINKSTR_HOME says where everything is kept; LINKSTR_RELAY_LISTEN where the relay listens (127.0.0.1:7447). With LINKSTR_BIN a
# folder that has linkstr and linkstrd is used instead of building.
set -euo pipefail
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
cd "$(dirname "$0")/.."
# In a release this is share/linkstr/run.sh, and the programs are there already.
[ -f Package.swift ] || : "${LINKSTR_BIN:=$PWD/../bin}"

demo=no
stop=no
push=()
for argument in "$@"; do
    case $argument in
    --demo) demo=yes ;;
    --stop) stop=yes ;;
    --push) push=(--push) ;;
    -h | --help)
        sed -n '2,9s/^# \{0,1\}//p' "$self"
        exit 0
        ;;
    *)
        echo "run.sh: unknown option $argument (known: --demo, --stop, --push)" >&2
        exit 64
        ;;
    esac
done

say() { printf '%s\n' "$*" >&2; }

build() {
    if [ -n "${LINKSTR_BIN:-}" ]; then
        bin=$(cd "$LINKSTR_BIN" && pwd)
        return
    fi
    scripts/bootstrap.sh ${push[@]+"${push[@]}"}
    local options=(-c release)
    # Swift's own libraries inside, so that the programs run where there is no toolchain.
    [ "$(uname)" = Darwin ] || options+=(--static-swift-stdlib)
    [ ${#push[@]} -eq 0 ] || options+=(--traits Push)
    say "building (a few minutes the first time)"
    swift build "${options[@]}" --product linkstr >&2
    swift build "${options[@]}" --product linkstrd >&2
    bin=$(swift build "${options[@]}" --show-bin-path)
}

# Waits until a file is there, for at most twenty seconds, and as long as the process lives.
await() {
    local path=$1 process=$2
    for _ in $(seq 200); do
        [ -e "$path" ] && return 0
        kill -0 "$process" 2>/dev/null || break
        sleep 0.1
    done
    return 1
}

demonstrate() {
    folder=$(mktemp -d)
    daemon=
    finish() {
        [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" || true; }
        rm -rf "$folder"
    }
    trap finish EXIT
    # What Ann and Ben type, and what they see; the answer is in `answer` as well.
    ann() { as ann "$@"; }
    ben() { as ben "$@"; }
    as() {
        local name=$1 word line='$ linkstr --home '$1
        shift
        for word in "$@"; do
            case $word in *[!a-zA-Z0-9:/._-]*) line+=" '$word'" ;; *) line+=" $word" ;; esac
        done
        answer=$("$bin/linkstr" --home "$folder/$name" "$@")
        printf '\n%s\n' "$line"
        [ -z "$answer" ] || printf '%s\n' "$answer"
    }
    mkdir -m 700 "$folder/ann" "$folder/ben"
    # A list of relays of their own, and an empty one: nothing can go to any other machine.
    for name in ann ben; do
        (umask 077; echo '{"relays":[]}' >"$folder/$name/relays.json")
    done

    echo "Ann's daemon is a relay as well; Ben works without a daemon. Everything is in $folder and stays on this machine."
    "$bin/linkstrd" run --home "$folder/ann" --relay-listen 127.0.0.1:0 2>"$folder/log" &
    daemon=$!
    await "$folder/ann/run/linkstrd.sock" $daemon || {
        cat "$folder/log" >&2
        say "run.sh: the daemon does not start"
        exit 1
    }
    local relay
    relay=$(sed -n 's/.*relay listening address=//p' "$folder/log")

    ann relay list
    ann account new --name Ann
    ben relay add "$relay"
    ben account new --name Ben
    local npub=${answer%% *} post
    ann session new Films --member "$npub" --yes --not-a-contact
    ann post Films https://example.com/a-film --note 'worth an evening'
    post=$answer
    ben sync
    # A session by somebody who is no contact is a request until it is accepted.
    ben session requests
    ben session accept Films
    ben feed
    ben react "${post:0:12}" 👍
    # Ann's daemon gets it by itself, within moments.
    local seen=
    for _ in $(seq 100); do
        if "$bin/linkstr" --home "$folder/ann" feed Films | grep -q 👍; then
            seen=yes
            break
        fi
        sleep 0.1
    done
    ann feed Films
    if [ -z "$seen" ]; then
        cat "$folder/log" >&2
        say "run.sh: Ann does not see Ben's reaction"
        exit 1
    fi
    printf '\nAnn sees the reaction of Ben. Of the session the relay saw who each message was for, and nothing else.\n'
}

data() {
    if [ -n "${LINKSTR_HOME:-}" ]; then echo "$LINKSTR_HOME"; else echo "${XDG_DATA_HOME:-$HOME/.local/share}/linkstr"; fi
}

socket() {
    if [ -n "${LINKSTR_HOME:-}" ]; then
        echo "$LINKSTR_HOME/run/linkstrd.sock"
    else
        echo "${XDG_RUNTIME_DIR:-$(data)/run}${XDG_RUNTIME_DIR:+/linkstr}/linkstrd.sock"
    fi
}

settings() {
    if [ -n "${LINKSTR_HOME:-}" ]; then echo "$LINKSTR_HOME"; else echo "${XDG_CONFIG_HOME:-$HOME/.config}/linkstr"; fi
}

end() {
    local process
    process=$(cat "$(data)/lock" 2>/dev/null || true)
    if [ -z "$process" ] || ! kill -0 "$process" 2>/dev/null; then
        say "no daemon runs on $(data)"
        exit 0
    fi
    kill "$process"
    while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
    say "the daemon has ended"
}

live() {
    local listen=${LINKSTR_RELAY_LISTEN:-127.0.0.1:7447} process log
    log=$(data)/linkstrd.log
    mkdir -p "$(data)"
    chmod 700 "$(data)"
    process=$(cat "$(data)/lock" 2>/dev/null || true)
    if [ -n "$process" ] && kill -0 "$process" 2>/dev/null; then
        say "a daemon runs already (process $process)"
    else
        # A home that nobody has used begins without the public relays; the daemon enters its own.
        if [ -z "$("$bin/linkstr" account list)" ] && [ ! -e "$(settings)/relays.json" ]; then
            use_none
        fi
        rm -f "$(socket)"
        # In a session of its own, so that it outlives this terminal.
        $(command -v setsid || true) "$bin/linkstrd" run --relay-listen "$listen" </dev/null >>"$log" 2>&1 &
        process=$!
        await "$(socket)" $process || {
            tail -5 "$log" >&2
            say "run.sh: the daemon does not start; $log says more"
            exit 1
        }
        say "the daemon runs (process $process, log $log), with a relay at ws://$listen"
    fi
    if [ -z "$("$bin/linkstr" account list)" ]; then
        say "there is no account yet, so one is made:"
        "$bin/linkstr" account new
    fi
    cat >&2 <<END

What to type next:
    export PATH=$bin:\$PATH
    linkstr account show                    your npub, which others need to share with you
    linkstr session new Films               a private session
    linkstr post Films https://example.com  a link in it
    linkstr feed                            what was shared
    linkstr --help                          everything else

The relays that are used:
$("$bin/linkstr" relay list | sed 's/^/    /')
Nothing is published anywhere else. To use the public relays that linkstr comes with: linkstr relay reset; another one:
linkstr relay add wss://relay.example.com. To end the daemon: $self --stop
END
}

use_none() {
    local url
    "$bin/linkstr" relay list | while read -r url _; do "$bin/linkstr" relay remove "$url" >/dev/null; done
}

if [ $stop = yes ]; then
    end
elif [ $demo = yes ]; then
    build
    demonstrate
else
    build
    live
fi

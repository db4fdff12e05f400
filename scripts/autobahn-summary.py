#!/usr/bin/env python3
"""Writes what Autobahn's suite found as a page, and fails when a case did not pass strictly.

    autobahn-summary.py RUN VERSIONS OUTPUT MODE     MODE is server (both roles) or relay (as server behind its front end)
"""
import collections
import json
import pathlib
import re
import sys

GROUPS = {
    "1": "framing",
    "2": "pings and pongs",
    "3": "reserved bits",
    "4": "opcodes",
    "5": "fragmentation",
    "6": "UTF-8, checked as it arrives",
    "7": "close handshake",
    "9": "limits and performance",
    "10": "automatic fragmentation",
    "12": "permessage-deflate, message sizes",
    "13": "permessage-deflate, parameters",
}
# The suite itself gives no verdict on these: the RFC leaves open what an endpoint does.
PASSED, OPEN = "OK", "INFORMATIONAL"


def verdict(case):
    found = {case["behavior"], case["behaviorClose"]}
    if found <= {PASSED}:
        return PASSED
    return OPEN if found <= {PASSED, OPEN} else "/".join(sorted(found))


def results(run, role):
    """The verdicts of all parts of a run: RUN/<part>/<role>/index.json."""
    found = {}
    for path in sorted(pathlib.Path(run).glob(f"*/{role}/index.json")):
        (cases,) = json.loads(path.read_text()).values()
        found |= {name: verdict(case) for name, case in cases.items()}
    return found


def key(name):
    return [int(part) for part in name.split(".")]


def main():
    is_relay = sys.argv[4] == "relay"
    roles = {role: results(sys.argv[1], role) for role in (["server"] if is_relay else ["client", "server"])}
    version = re.search(r"autobahntestsuite[^0-9]*([0-9.]+)", sys.argv[2], re.I)
    lines = [
        "# Autobahn test suite" + (", behind a relay's front end" if is_relay else ""),
        "",
        (
            "Written by `scripts/autobahn.sh --relay`: the HTTP server and the WebSocket options of `Packages/NostrRelay`, with"
            " compression on, messages of up to 64 MiB and 2^20 fragments, and an echo on the connection's loop in the place of"
            " a Nostr session"
            if is_relay
            else "Written by `scripts/autobahn.sh`, which runs the suite against `Packages/WebSocket` in both roles"
        )
        + (f" (autobahntestsuite {version[1].strip('.')})." if version else "."),
        "*Informational* cases are those for which the suite gives no verdict, because the RFC leaves the behaviour open.",
        "",
        "| group | about | " + " | ".join(f"{role}: passed | informational | failed" for role in roles) + " |",
        "|---|---|" + "---|---|---|" * len(roles),
    ]
    failed = []
    for group, about in GROUPS.items():
        cells = []
        for role, cases in roles.items():
            mine = {name: one for name, one in cases.items() if name.split(".")[0] == group}
            count = collections.Counter(mine.values())
            bad = [name for name, one in mine.items() if one not in (PASSED, OPEN)]
            failed += [(role, name, mine[name]) for name in bad]
            cells += [count[PASSED], count[OPEN], len(bad)]
        if any(cells):
            lines.append(f"| {group} | {about} | " + " | ".join(map(str, cells)) + " |")
    total = []
    for cases in roles.values():
        passed, open_ = (sum(one == what for one in cases.values()) for what in (PASSED, OPEN))
        total += [passed, open_, len(cases) - passed - open_]
    lines.append("| all | | " + " | ".join(map(str, total)) + " |")
    informational = sorted({name for cases in roles.values() for name, one in cases.items() if one == OPEN}, key=key)
    if informational:
        lines += ["", "Informational: " + ", ".join(informational) + "."]
    if failed:
        lines += ["", "Not passed strictly:", ""]
        lines += [f"- {role} {name}: {what}" for role, name, what in sorted(failed, key=lambda one: (one[0], key(one[1])))]
    with open(sys.argv[3], "w") as file:
        file.write("\n".join(lines) + "\n")
    counts = [len(cases) for cases in roles.values()]
    if failed or 0 in counts or len(set(counts)) != 1:
        sys.exit(f"autobahn: {len(failed)} results are not strict passes; {counts} cases as {list(roles)}")


main()

#!/usr/bin/env bash
# Compares two runs of the benchmarks.
#
#   scripts/bench-compare.sh OLD NEW      files that scripts/bench.sh --json wrote
#
# What has a floor is compared by its share of the floor, because that is what two machines, or two loads, have in common; the
# rest by its time. Never fails on a number: what changed by more than a tenth is marked. Ends with 1 when the files have no
# row in common.
set -euo pipefail
[ $# = 2 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 64
}
exec python3 - "$@" <<'PYTHON'
import json
import sys


def rows(path):
    with open(path) as file:
        report = json.load(file)
    return report, {(one["work"], one["size"], one["unit"]): one for one in report["outcomes"]}


def figure(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def main():
    (old_report, old), (new_report, new) = rows(sys.argv[1]), rows(sys.argv[2])
    common = [key for key in old if key in new]
    if not common:
        sys.exit("bench-compare.sh: the two files have no row in common")
    for name, report in (("old", old_report), ("new", new_report)):
        print(f"{name}: {report.get('date', 'no date')}, load {report.get('load', '?')}, {report.get('processors', '?')} processors")
    layout = "{:36} {:>14} {:>10} {:>10}  {:28} {:>6} {:>6}  {:>13}  {}"
    print(layout.format("work", "size", "old us", "new us", "floor", "old", "new", "allocs", ""))
    for key in common:
        before, after = old[key], new[key]
        floors = {one["name"]: one["ratio"] for one in before["floors"]}
        shared = [(one["name"], floors[one["name"]], one["ratio"]) for one in after["floors"] if one["name"] in floors]
        name, was, now = shared[0] if shared else ("-", None, None)
        speed = now / was if shared else before["microseconds"] / after["microseconds"]
        mark = "" if 0.9 <= speed <= 1.1 else f"{'faster' if speed > 1 else 'SLOWER'} {abs(speed - 1):.0%}"
        counts = (before.get("allocations"), after.get("allocations"))
        allocations = "" if None in counts else f"{counts[0]:.2f} {counts[1]:.2f}"
        if None not in counts and counts[1] > counts[0] * 1.05 + 0.05:
            mark += " MORE ALLOCATIONS"
        print(
            layout.format(
                key[0], f"{key[1]} {key[2]}", figure(before["microseconds"]), figure(after["microseconds"]), name,
                f"{was:.2f}" if shared else "", f"{now:.2f}" if shared else "", allocations, mark,
            ).rstrip()
        )
    for name, only in (("old", [key for key in old if key not in new]), ("new", [key for key in new if key not in old])):
        for key in only:
            print(f"only in {name}: {key[0]}, {key[1]} {key[2]}")


main()
PYTHON

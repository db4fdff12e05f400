"""The work of quality-table.sh, which says what it does."""
import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "docs/quality"
TABLE = ROOT / "docs/quality.md"
AREAS = [
    "Events and encryption", "Gift wraps", "Transport", "Relay and store", "Sessions", "Push gateway", "Apps",
    "Correctness against others", "Robustness", "Packages and releases",
]
KEYS = {
    "area", "order", "work", "target", "least", "most", "unit", "command", "bench", "pattern", "succeeds", "measured", "date", "load",
    "note",
}
# A load is a number, or words for runs that were not made by this script.


def fail(text):
    sys.exit(f"quality-table.sh: {text}")


def read():
    rows = {}
    for path in sorted(ROWS.glob("*.json")):
        row = json.loads(path.read_text())
        unknown = row.keys() - KEYS
        missing = {"area", "order", "work", "target", "command"} - row.keys()
        if unknown or missing or row["area"] not in AREAS:
            fail(f"{path.relative_to(ROOT)}: unknown {sorted(unknown)}, missing {sorted(missing)}, area {row.get('area')}")
        rows[path.stem] = row
    return rows


def write(name, row):
    (ROWS / f"{name}.json").write_text(json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def load():
    return float(pathlib.Path("/proc/loadavg").read_text().split()[0])


def stamp(row, measured, at_load, date=None):
    row["measured"] = measured
    row["date"] = date or datetime.datetime.now(datetime.UTC).date().isoformat()
    row["load"] = round(at_load, 1)


def reached(row):
    """Whether the aim is reached; None where there is no figure or nothing to compare it with."""
    measured = row.get("measured")
    if measured is None or ("least" not in row and "most" not in row):
        return None
    return row.get("least", measured) <= measured <= row.get("most", measured)


def number(value):
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 100 else f"{value:,.0f}"


def cell(text):
    return str(text).replace("|", "\\|")


def take_bench(rows, path):
    report = json.loads(pathlib.Path(path).read_text())
    outcomes = {(one["work"], one["size"]): one for one in report["outcomes"]}
    taken = 0
    for name, row in rows.items():
        source = row.get("bench")
        if not source:
            continue
        outcome = outcomes.get((source["work"], source["size"]))
        if outcome is None and source["size"] is None:
            outcome = next((one for (work, _), one in outcomes.items() if work == source["work"]), None)
        if outcome is None:
            continue
        if "floor" in source:
            value = next((one["ratio"] for one in outcome["floors"] if one["name"] == source["floor"]), None)
            if value is None:
                fail(f"{name}: {path} has no floor {source['floor']}")
        else:
            value = {
                "microseconds": lambda: outcome["microseconds"],
                "milliseconds": lambda: outcome["microseconds"] / 1000,
                "allocations": lambda: outcome["allocations"],
                "megabytes_per_second": lambda: outcome["size"] / outcome["microseconds"],
                "per_second": lambda: outcome["size"] / outcome["microseconds"] * 1e6,
            }[source["figure"]]()
        # A figure is shown, and judged, with two digits behind the point.
        stamp(row, round(value, 2) if value < 100 else round(value), report.get("load") or 0, report["date"][:10])
        write(name, row)
        taken += 1
    print(f"{taken} rows from {path}")


def take_log(name, row, text, at_load, date=None):
    found = re.findall(row["pattern"], text)
    if not found:
        fail(f"{name}: nothing printed matches {row['pattern']}")
    value = float(found[-1].replace(",", ""))
    stamp(row, int(value) if value == int(value) else value, at_load, date)
    write(name, row)
    print(f"{name}: {number(value)}")


def take_logs(rows, name, path):
    """The figures of all rows that have the command of this one, from what it printed; --measure writes when it ran above that."""
    text = pathlib.Path(path).read_text(errors="replace")
    head = re.match(r"measured on (\S+) at load (\S+)\n", text)
    date, at_load = (head[1], float(head[2])) if head else (None, load())
    for other, row in rows.items():
        if row["command"] != rows[name]["command"] or "pattern" not in row:
            continue
        # A row beside it may want a peer that is not on this machine.
        if other != name and not re.search(row["pattern"], text):
            print(f"{other}: not printed")
            continue
        take_log(other, row, text, at_load, date)


def measure(rows, names):
    """Runs each command once, however many rows it has, and keeps what it printed in .build/quality."""
    folder = ROOT / ".build/quality"
    folder.mkdir(parents=True, exist_ok=True)
    commands = {rows[name]["command"]: name for name in names}
    for command, name in commands.items():
        same = [one for one in rows if rows[one]["command"] == command]
        report = folder / f"{name}.json"
        at_load = load()
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        run = f"{command} --json {report}" if any("bench" in rows[one] for one in same) else command
        done = subprocess.run(["bash", "-c", run], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace")
        log = folder / f"{name}.log"
        log.write_text(f"measured on {today} at load {at_load}\n{said}")
        for one in same:
            if rows[one].get("succeeds"):
                stamp(rows[one], 1 if done.returncode == 0 else 0, at_load)
                write(one, rows[one])
                print(f"{one}: {'yes' if done.returncode == 0 else 'no'}")
        if done.returncode != 0 and not all(rows[one].get("succeeds") for one in same):
            fail(f"{name}: {command} ends with {done.returncode}: {said.strip()[-300:]}")
        if report.exists():
            take_bench(rows, report)
            report.unlink()
        take_logs(rows, name, log)
        if not any(rows[one].keys() & {"bench", "pattern", "succeeds"} for one in same):
            fail(f"{name}: the row does not say where its figure is; take it with --record")


def table(rows):
    states = [reached(row) for row in rows.values()]
    unmeasured = sum(row.get("measured") is None for row in rows.values())
    lines = [
        "# What holds, and what does not",
        "",
        "Made by `scripts/quality-table.sh` from `docs/quality/*.json`; not to be edited. Every aim of the design, what was measured, with which",
        "command anybody can run, when, and how many processes wanted the two processors meanwhile. A share of a floor means the same on any",
        "machine and nearly the same under any load; times and rates taken at a load above 2 are worse than the machine's own.",
        "",
        f"**{len(rows)} aims: {sum(state is True for state in states)} reached, {sum(state is False for state in states)} not reached, "
        f"{unmeasured} not measured.** What stands behind the figures is in [measurements.md](measurements.md), where time goes in",
        "[profiles](profiles/README.md).",
    ]
    short = [(row["work"], row) for row in rows.values() if reached(row) is False]
    if short:
        lines += ["", "## Where it falls short", ""]
        for work, row in sorted(short, key=lambda one: (AREAS.index(one[1]["area"]), one[1]["order"])):
            lines.append(f"- **{work}**: {number(row['measured'])} {row.get('unit', '')} where {row['target']} was aimed at. {row.get('note', '')}".rstrip())
    for area in AREAS:
        ones = sorted((row for row in rows.values() if row["area"] == area), key=lambda row: row["order"])
        if not ones:
            continue
        lines += ["", f"## {area}", "", "| what | aim | measured | | date, load | command |", "|---|---|---|---|---|---|"]
        for row in ones:
            measured = row.get("measured")
            state = {True: "reached", False: "**not reached**", None: ""}[reached(row)]
            if row.get("succeeds") and measured is not None:
                figure = "yes" if measured else "no"
            else:
                figure = "–" if measured is None else f"{number(measured)} {row.get('unit', '')}".strip()
            when = "" if measured is None else f"{row['date']}, {row['load']}"
            if measured is None:
                state = "not measured"
            note = row.get("note", "")
            what = row["work"] + (f". {note}" if note and reached(row) is not False else "")
            lines.append("| " + " | ".join(cell(one) for one in (what, row["target"], figure, state, when, f"`{row['command']}`")) + " |")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    rows = read()

    def named(names):
        for name in names:
            if name not in rows:
                fail(f"no row docs/quality/{name}.json")
        return names

    if arguments[:1] == ["--bench"] and len(arguments) == 2:
        take_bench(rows, arguments[1])
    elif arguments[:1] == ["--measure"] and len(arguments) > 1:
        measure(rows, named(arguments[1:]))
    elif arguments[:1] == ["--log"] and len(arguments) == 3:
        take_logs(rows, *named(arguments[1:2]), arguments[2])
    elif arguments[:1] == ["--record"] and len(arguments) in (3, 4):
        name, = named(arguments[1:2])
        value = float(arguments[2])
        stamp(rows[name], int(value) if value == int(value) else value, load())
        if len(arguments) == 4:
            rows[name]["note"] = arguments[3]
        write(name, rows[name])
    elif arguments not in ([], ["--check"]):
        print((ROOT / "scripts/quality-table.sh").read_text().split("set -euo")[0].replace("\n# ", "\n"), file=sys.stderr)
        sys.exit(64)
    text = table(rows)
    if arguments == ["--check"]:
        if not TABLE.exists() or TABLE.read_text() != text:
            fail("docs/quality.md is not what docs/quality/*.json says; run scripts/quality-table.sh")
        return
    TABLE.write_text(text)


main()

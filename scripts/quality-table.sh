#!/usr/bin/env bash
# Makes docs/quality.md from docs/quality/*.json, one file a row: what is aimed at, what was measured, with which command, when, and
# at which load. The table is never written by hand.
#
#   scripts/quality-table.sh                       makes it
#   scripts/quality-table.sh --check               fails when it is not what the files say
#   scripts/quality-table.sh --bench FILE          first takes the figures that scripts/bench.sh --json wrote to FILE
#   scripts/quality-table.sh --measure ROW...      first runs the commands of these rows and takes what they print, for all the rows
#                                                  of a command at once; .build/quality/ROW.log keeps it
#   scripts/quality-table.sh --log ROW FILE        first takes the figures from what the row's command has printed into FILE
#   scripts/quality-table.sh --record ROW FIGURE [NOTE]   first takes a figure from here, for what no program can read
#
# A row says where its figure is found: "bench" (work, size, floor) in the JSON of the benchmarks, or "pattern", a regular expression
# whose first group is it (the last match counts), or "succeeds": the command ends with 0.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/quality_table.py "$@"

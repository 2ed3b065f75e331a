#!/usr/bin/env python3
"""Asks the same questions of a trace with `reprise query` and of its Parquet (`reprise convert`) with DuckDB: the answers must be the same.

  pip install duckdb
  reprise convert -o game.parquet game.reprise
  edge/query/benches/against_duckdb.py game.reprise game.parquet

Prints seconds of each, the fastest of three. REPRISE names another program than `reprise query`.
"""
import json
import os
import subprocess
import sys
import time

import duckdb

QUESTIONS = {
    "calls": "SELECT count(*) AS n FROM {t} {w}",
    "methods": "SELECT method, count(*) AS n FROM {t} {w} GROUP BY method ORDER BY n DESC, method LIMIT 20",
    "threads": "SELECT thread, count(*) AS n, min(time_ns) AS a, max(time_ns) AS b FROM {t} {w} GROUP BY thread ORDER BY thread",
    "slowest": "SELECT call, duration_ns AS n FROM {t} {w} AND duration_ns IS NOT NULL ORDER BY duration_ns DESC, call LIMIT 10",
    "one frame": "SELECT method, count(*) AS n FROM {t} {w} AND frame = 2 GROUP BY method ORDER BY n DESC, method",
    "objects": "SELECT object, count(*) AS n FROM {t} {w} AND object IS NOT NULL GROUP BY object ORDER BY n DESC, object LIMIT 20",
    "all columns": "SELECT sum(call) AS a, sum(frame) AS b, sum(thread) AS c, sum(time_ns % 1000) AS d, count(sequence) AS e, "
    "count(interface) AS f, count(method) AS g, sum(object) AS h FROM {t} {w}",
}


def fastest(ask):
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        answer = ask()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), answer


def main():
    trace, parquet = sys.argv[1:3]
    program = os.environ.get("REPRISE", "reprise query").split()
    database = duckdb.connect()
    wrong = 0
    print(f"{'question':14} {'reprise query':>14} {'duckdb':>10}  same")
    for name, sql in QUESTIONS.items():
        ours = sql.format(t="calls", w="WHERE true")
        theirs = sql.format(t=f"'{parquet}'", w="WHERE kind = 'call'")

        def query():
            out = subprocess.run([*program, "--format", "json", trace, ours], check=True, capture_output=True).stdout
            return [json.loads(line) for line in out.splitlines()]

        def duck():
            answer = database.execute(theirs)
            names = [column[0] for column in answer.description]
            return [{k: v for k, v in zip(names, row) if v is not None} for row in answer.fetchall()]

        (a, one), (b, other) = fastest(query), fastest(duck)
        same = one == [{k: int(v) if not isinstance(v, str) else v for k, v in row.items()} for row in other]
        wrong += not same
        print(f"{name:14} {a:13.3f}s {b:9.3f}s  {'yes' if same else 'NO'}")
    sys.exit(1 if wrong else 0)


main()

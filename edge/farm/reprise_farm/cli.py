"""The command line: `reprise farm run`, `reprise farm report`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import job, outcome, store, suite

if TYPE_CHECKING:
    from .engine import Engine
    from .here import Here

EXIT = "exit codes: 0 all pass; 1 something does not, or a job could not run; 2 wrong usage; 130 interrupted"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reprise farm", description=__doc__, epilog=EXIT)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="play a suite", epilog=EXIT)
    run.add_argument("suite", type=Path, metavar="SUITE.toml")
    run.add_argument("--results", type=Path, metavar="DIR", help="folder of results [default: SUITE.results]")
    run.add_argument("--local", action="store_true", help="on this machine alone, without Ray")
    run.add_argument("--address", metavar="RAY", help="the cluster's address [default: as Ray finds it]")
    run.add_argument("--resume", action="store_true", help="go on where a run ended, whatever ended it")
    run.add_argument("--jobs", type=int, metavar="N", help="with --local: processors that jobs share")
    run.add_argument("--program", metavar="PATH", help="the program reprise, instead of the suite's")
    run.add_argument("--wait-nodes", type=float, metavar="S", default=60.0,
                     help="seconds that a job waits for the first node that could run it [default: 60]")  # fmt: skip
    run.add_argument("-q", "--quiet", action="store_true", help="only the last line")
    show = commands.add_parser("report", help="make a page or a table of results")
    show.add_argument("results", type=Path, metavar="DIR")
    show.add_argument("--against", type=Path, metavar="DIR", help="an earlier run to compare with")
    show.add_argument("--reference", metavar="GPU/DRIVER/OPTION", help="compare with this configuration of the same run")
    kind = show.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true")
    kind.add_argument("--markdown", action="store_true")
    show.add_argument("-o", type=Path, metavar="FILE", dest="output",
                      help="the file to write [default: DIR/report.html; standard output for tables]")  # fmt: skip
    return parser


def _program(name: str) -> str:
    """An absolute path where this machine has the program; the name as it is for nodes that may have it."""
    if os.sep in name:
        return os.path.abspath(name)
    return shutil.which(name) or name


def _cluster(chosen: suite.Suite, arguments: argparse.Namespace) -> Here | Engine:
    """Each is imported where it is used: a start of Python is part of every run."""
    if arguments.local:
        from .here import Here

        return Here(chosen, arguments.jobs)
    from .engine import Engine

    return Engine(chosen, arguments.address)


def _report(arguments: argparse.Namespace) -> int:
    from . import report

    return report.run(arguments)


def run(arguments: argparse.Namespace) -> int:
    from .schedule import Run

    if arguments.local and arguments.address is not None:
        raise suite.SuiteError("--local plays without Ray, and --address names one: leave one of them out")
    if arguments.jobs is not None and not arguments.local:
        raise suite.SuiteError("--jobs is for --local; a cluster's nodes say how many processors they offer")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise suite.SuiteError("--jobs: at least 1")
    chosen = suite.load(arguments.suite)
    name = arguments.program or chosen.program
    chosen = replace(chosen, program=_program(name) if arguments.local or arguments.program else name)
    if arguments.local and shutil.which(chosen.program) is None:
        raise suite.SuiteError(f"there is no program `{chosen.program}`: name it with --program")
    jobs = job.plan(chosen)
    folder = arguments.results or arguments.suite.with_suffix(".results")
    results = store.Store(folder, arguments.resume)
    results.plan(chosen.name, [job.describe(one) for one in jobs])
    begun = time.monotonic()
    missing = sum(one.id not in results.rows for one in jobs)
    if missing:
        cluster = _cluster(chosen, arguments)
        try:
            wait = 0.0 if arguments.local else arguments.wait_nodes
            quiet = arguments.quiet
            Run(chosen, jobs, cluster, results, wait, lambda text: None if quiet else print(text, flush=True)).run()
        finally:
            results.close()
            cluster.close()
    rows = [results.rows[one.id] for one in jobs]
    counts = {verdict: sum(row["outcome"] == verdict for row in rows) for verdict in {row["outcome"] for row in rows}}
    words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(f"{folder}: {len(rows)} jobs ({missing} played now, {time.monotonic() - begun:.1f} s): {words}")
    return 0 if set(counts) <= {outcome.PASS} else 1


def main() -> int:
    arguments = _parser().parse_args()
    try:
        return run(arguments) if arguments.command == "run" else _report(arguments)
    except (suite.SuiteError, store.StoreError, ConnectionError) as error:
        print(f"reprise farm: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("reprise farm: interrupted; --resume goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

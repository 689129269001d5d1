"""Build the DuckDB database from data/: checked, then swapped in whole."""

import argparse
import sys
from pathlib import Path

EXAMPLES = """examples:
  rigbook load
  rigbook load --data data --db build/rigbook.duckdb"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook load`."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder with reports/")
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--full", action="store_true", help="build anew even if nothing changed")


def run(args: argparse.Namespace) -> int:
    """Check everything, then build; a bundle with errors stops the load before anything changes."""
    from ingest.check import check  # noqa: PLC0415 - only when the verb runs
    from ingest.owners import owners  # noqa: PLC0415
    from ingest.problem import count_line, has_errors  # noqa: PLC0415
    from ingest.store import build, summary  # noqa: PLC0415

    checked = check([args.data])
    if has_errors(checked.problems):
        for problem in checked.problems:
            print(problem)
        print(count_line(checked.problems))
        return 1
    build(args.db, checked.filed, checked.catalog, checked.problems, owners(args.data.parent))
    sys.stderr.write(f"{count_line(checked.problems)}\n")
    print(f"{args.db}: {summary(args.db)}")
    return 0

"""Build the DuckDB database from data/: checked, then swapped in whole."""

import argparse
import sys
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook load
  rigbook load --data data --db build/rigbook.duckdb"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook load`."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder with reports/")
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--full", action="store_true", help="build anew even if nothing changed")


def run(args: argparse.Namespace) -> int:
    """Load what changed; a bundle with errors stops the load before anything changes."""
    import duckdb  # noqa: PLC0415 - only when the verb runs

    from ingest.load import load  # noqa: PLC0415
    from ingest.problem import count_line, has_errors  # noqa: PLC0415
    from ingest.store import summary  # noqa: PLC0415

    try:
        loaded = load(args.data, args.db, full=args.full)
    except (OSError, duckdb.Error) as error:
        raise Misuse(
            f"{args.db} could not be written and is as it was: {error}; make room there or name"
            " another place with --db"
        ) from error
    if has_errors(loaded.problems):
        for problem in loaded.problems:
            print(problem)
        print(count_line(loaded.problems))
        return 1
    done = "nothing changed" if not loaded.changed else f"{loaded.parsed:,} read anew"
    sys.stderr.write(f"{loaded.bundles:,} bundles, {done}: {count_line(loaded.problems)}\n")
    print(f"{args.db}: {summary(args.db)}")
    return 0

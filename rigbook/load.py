"""Build the DuckDB database from data/: checked, then swapped in whole."""

import argparse
import gc
import sys
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook load
  rigbook load --data data --db build/rigbook.duckdb"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook load`."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder with reports/")
    parser.add_argument(
        "--db",
        default="build/rigbook.duckdb",
        help="a file, or ducklake:postgres:… for a warehouse",
    )
    parser.add_argument("--partition", metavar="I/N", help="only this share, into a warehouse")
    parser.add_argument("--files", type=Path, help="folder of the warehouse's Parquet files")
    parser.add_argument("--full", action="store_true", help="build anew even if nothing changed")


def run(args: argparse.Namespace) -> int:
    """Load what changed; a bundle with errors stops the load before anything changes."""
    import duckdb  # noqa: PLC0415 - only when the verb runs

    from ingest.load import load  # noqa: PLC0415
    from ingest.problem import count_line, has_errors  # noqa: PLC0415
    from ingest.store import summary  # noqa: PLC0415

    if args.db.startswith("ducklake:"):
        return _into_warehouse(args)
    if args.partition or args.files:
        raise Misuse("--partition and --files are for a warehouse: --db ducklake:postgres:…")
    db = Path(args.db)
    # The process ends with the load, and looking for cycles among so many objects takes a tenth.
    gc.disable()
    try:
        loaded = load(args.data, db, full=args.full)
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
    print(f"{args.db}: {summary(db)}")
    return 0


def _into_warehouse(args: argparse.Namespace) -> int:
    from ingest.problem import count_line, has_errors  # noqa: PLC0415 - only for a warehouse
    from ingest.warehouse import load_partition, partition  # noqa: PLC0415

    if args.files is None:
        raise Misuse("a warehouse needs --files, the folder of its Parquet files that all can see")
    part = partition(args.partition or "1/1")
    put = load_partition(args.data, args.db, args.files, part)
    for problem in put.problems:
        print(problem)
    if has_errors(put.problems):
        print(count_line(put.problems))
        return 1
    print(
        f"{args.db}: {put.machines:,} machines of partition {part.share}/{part.of},"
        f" {put.changed:,} changed: {count_line(put.problems)}"
    )
    return 0

"""Set measurements side by side, or say which fields forbid it."""

import argparse
import json
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook compare 0123456789ab/run-1/0 ba9876543210/run-1/0
  rigbook compare 0123456789ab/run-1/0 ba9876543210/run-1/0 --anyway protocol,clock"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook compare`."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="measurement_id, see rigbook query")
    parser.add_argument(
        "--anyway", metavar="FIELDS", default="", help="let these differ, and mark the output"
    )
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Compare; 1 if the guard refuses."""
    from ingest.comparable import FIELDS, Refusal, compare, guarded  # noqa: PLC0415 - lazy
    from ingest.store import opened  # noqa: PLC0415

    anyway = [field for field in args.anyway.split(",") if field]
    unknown = [field for field in anyway if field not in FIELDS]
    if unknown or len(args.ids) < 2:
        raise Misuse(f"--anyway takes {', '.join(FIELDS)}; a comparison takes two ids or more")
    try:
        with opened(args.db) as connection:
            rows = guarded(connection, args.ids)
    except FileNotFoundError as error:
        raise Misuse(error) from error
    except KeyError as error:
        raise Misuse(f"there is no measurement {error}; see `rigbook query`") from error
    answer = compare(rows, anyway)
    if args.json:
        print(json.dumps({"schema": "rigbook.compare/1", **answer._asdict()}, indent=1))
    elif isinstance(answer, Refusal):
        print(answer)
    else:
        for one, value, ratio in zip(answer.ids, answer.values, answer.ratios, strict=True):
            times = "" if ratio is None else f"x{ratio:.3f}"
            print(f"{value:10.4g} {answer.unit}  {times:>8}  {one}")
        for line in (answer.mark, *(f"doubt: {doubt}" for doubt in answer.doubts)):
            if line:
                print(line)
    return 1 if isinstance(answer, Refusal) else 0

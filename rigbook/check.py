"""Validate bundles and the catalogue; every problem is listed, then counted."""

import argparse
import json
from pathlib import Path

EXAMPLES = """examples:
  rigbook check data
  rigbook check data/reports/shaxs-i9-7900x --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook check`."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", default=[Path("data")])
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check the paths; 1 if anything is an error."""
    from ingest.check import check  # noqa: PLC0415 - only when the verb runs
    from ingest.problem import count_line, has_errors  # noqa: PLC0415

    checked = check(args.paths)
    if args.json:
        problems = [problem._asdict() for problem in checked.problems]
        print(json.dumps({"schema": "rigbook.check/1", "problems": problems}, indent=1))
    else:
        for problem in checked.problems:
            print(problem)
        print(f"{len(checked.filed)} bundles checked: {count_line(checked.problems)}")
    return 1 if has_errors(checked.problems) else 0

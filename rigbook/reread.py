"""Read every stored raw text again and tell what a better reader would change."""

import argparse
import json
from pathlib import Path

EXAMPLES = """examples:
  rigbook reread
  rigbook reread data/reports --write"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook reread`."""
    parser.add_argument("folder", nargs="?", type=Path, default=Path("data/reports"))
    parser.add_argument("--write", action="store_true", help="file what the readers now see")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Reread all; 1 if a text is no longer read at all."""
    from ingest.catalog import load_catalog  # noqa: PLC0415 - only when the verb runs
    from ingest.problem import count_line, has_errors  # noqa: PLC0415
    from ingest.readers.again import reread, write  # noqa: PLC0415
    from ingest.shipped import shipped  # noqa: PLC0415

    catalog, _ = load_catalog(Path(shipped("catalog")))
    told = reread(args.folder, catalog)
    if args.write:
        for one in told.changed:
            write(one)
    if args.json:
        changes = [
            {"folder": str(one.folder), "changes": [c._asdict() for c in one.changes]}
            for one in told.changed
        ]
        problems = [problem._asdict() for problem in told.problems]
        document = {
            "schema": "rigbook.reread/1",
            "read": told.read,
            "changed": changes,
            "problems": problems,
        }
        print(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        for one in told.changed:
            for change in one.changes:
                print(f"{one.folder}: {change.pointer}: {change.before!r} -> {change.after!r}")
        for problem in told.problems:
            print(problem)
        counts = count_line(told.problems)
        print(f"{told.read} texts read again, {len(told.changed)} would change: {counts}")
    return 1 if has_errors(told.problems) else 0

"""Build the static site: render results from the database, then let mkdocs build them."""

import argparse
import sys
import time
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook site --model build/model.json
  rigbook site --only llamacpp/deepseek-flash-dual-q8"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook site`."""
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--model", type=Path, help="fitted model (default: build/model.json)")
    parser.add_argument("--only", metavar="SLUG", help="make this slug's page alone anew")
    parser.add_argument("--root", type=Path, default=Path(), help="checkout with mkdocs.yml")


def run(args: argparse.Namespace) -> int:
    """Build and tell what was made; 1 if anything about the site does not hold."""
    from ingest.problem import count_line, has_errors  # noqa: PLC0415 - only when the verb runs
    from rigbook.reference import verbs  # noqa: PLC0415
    from sitegen.build import build_site  # noqa: PLC0415

    started = time.monotonic()
    try:
        built = build_site(args.root, args.db, args.model, args.only, verbs=verbs())
    except FileNotFoundError as error:
        raise Misuse(error) from error
    for problem in built.problems:
        print(problem)
    if has_errors(built.problems):
        print(f"{count_line(built.problems)}; the site before this one stays as it was")
        return 1
    sys.stderr.write(f"built in {time.monotonic() - started:.0f} s\n")
    print(f"{built.folder}: {built.pages:,} pages, {built.charts:,} charts, {built.mib:.1f} MiB")
    print("look at it with `make serve` (http://127.0.0.1:8000)")
    return 0

"""Build the static site: render results from the database, then let mkdocs build them."""

import argparse
import sys
import time
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook site --only llamacpp/deepseek-flash-dual-q8
  rigbook site --external"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook site`."""
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--model", type=Path, help="fitted model (default: build/model.json)")
    parser.add_argument("--only", metavar="SLUG", help="make this slug's page alone anew")
    parser.add_argument("--root", type=Path, default=Path(), help="checkout with mkdocs.yml")
    parser.add_argument(
        "--external", action="store_true", help="list the links that lead out of the built site"
    )


def run(args: argparse.Namespace) -> int:
    """Build and tell what was made; 1 if anything about the site does not hold."""
    if args.external:
        return _external(args.root / "build/site")
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


def _external(folder: Path) -> int:
    """Print each address outside with how many pages point at it."""
    from sitegen.links import external  # noqa: PLC0415 - only when asked for

    if not folder.is_dir():
        raise Misuse(f"{folder}: there is no site; run `rigbook site` first")
    found = external(folder)
    for address, pages in found.items():
        more = f" and {len(pages) - 1} more" if len(pages) > 1 else ""
        print(f"{address}  {pages[0]}{more}")
    print(f"{len(found)} addresses outside; none was fetched")
    return 0

"""Write the rows of a slug in the community's own table convention."""

import argparse
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook table --slug llamacpp/deepseek-flash-dual-q8 --format benchmarks-md
  rigbook table --slug llamacpp-club3090/inkling-small-dual-iq4xs-residency"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook table`."""
    parser.add_argument("--slug", required=True, help="one of data/catalog/slugs.toml")
    parser.add_argument("--format", choices=["benchmarks-md"], default="benchmarks-md")
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))


def run(args: argparse.Namespace) -> int:
    """Print the table; a slug that nobody has measured gives its heads alone."""
    from ingest.store import opened  # noqa: PLC0415 - only when the verb runs
    from rigbook.known import known  # noqa: PLC0415
    from sitegen.benchmarks import read, table  # noqa: PLC0415

    try:
        with opened(args.db) as connection:
            known(connection, "slug", args.slug)
            print(table(read(connection, args.slug)), end="")
    except FileNotFoundError as error:
        raise Misuse(error) from error
    return 0

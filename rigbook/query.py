"""Ask the database in SQL, read-only."""

import argparse
import csv
import json
import sys
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook query "SELECT slug, count(*) FROM runs GROUP BY slug ORDER BY 2 DESC"
  rigbook query --json "FROM comparable WHERE quantity = 'decode' LIMIT 5\""""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook query`."""
    parser.add_argument("sql", help="one SELECT statement (or FROM …)")
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON list of objects")
    form.add_argument("--csv", action="store_true", help="CSV with a header line")


def run(args: argparse.Namespace) -> int:
    """Run the query and print its rows."""
    import duckdb  # noqa: PLC0415 - only when the verb runs

    from ingest.store import opened  # noqa: PLC0415

    try:
        with opened(args.db) as connection:
            relation = connection.sql(args.sql)
            if relation is None:
                return 0
            if args.json:
                rows = [
                    dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()
                ]
                print(json.dumps(rows, default=str, indent=1))
            elif args.csv:
                writer = csv.writer(sys.stdout, lineterminator="\n")  # pipes go on to shell tools
                writer.writerow(relation.columns)
                writer.writerows(relation.fetchall())
            else:
                relation.show(max_width=10_000, max_rows=1_000)
    except FileNotFoundError as error:
        raise Misuse(error) from error
    except duckdb.Error as error:
        raise Misuse(f"the database refused the query: {error}") from error
    return 0

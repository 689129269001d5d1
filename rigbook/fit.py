"""Fit the decode model on the database and write it as one JSON file, whole or not at all."""

import argparse
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook fit
  rigbook fit --db build/rigbook.duckdb --out models/fitted/model.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook fit`."""
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--out", type=Path, default=Path("build/model.json"))


def run(args: argparse.Namespace) -> int:
    """Fit, write, and say in one line what was fitted and how well it does."""
    from ingest.catalog import load_catalog  # noqa: PLC0415 - only when the verb runs
    from ingest.problem import has_errors  # noqa: PLC0415
    from ingest.shipped import shipped  # noqa: PLC0415
    from ingest.store import opened  # noqa: PLC0415
    from models.fit import fit  # noqa: PLC0415
    from models.record import write_model  # noqa: PLC0415

    catalog, problems = load_catalog(Path(shipped("catalog")))
    if has_errors(problems):
        print(*problems, sep="\n")
        return 1
    try:
        with opened(args.db) as connection:
            model = fit(connection, catalog)
    except FileNotFoundError as error:
        raise Misuse(error) from error
    except ValueError as error:
        print(f"{args.db}: {error}")
        return 1
    write_model(model, args.out)
    errors = model.evaluation["scores"]["Rigbook"]["all"]
    print(
        f"{args.out}: {model.fitted_on['rows']} rows of {model.fitted_on['rigs']} rigs,"
        f" median error on rigs left out {errors['median_ape']:.0%}"
    )
    return 0

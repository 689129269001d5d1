"""Find runs of one machine that differ in exactly one field, and what that field did."""

import argparse
import json
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook pairs --field memory
  rigbook pairs --slug llamacpp/deepseek-flash-dual-q8 --clear --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook pairs`."""
    parser.add_argument("--field", help="only pairs that differ in this field")
    parser.add_argument("--slug", help="only pairs in which a run has this slug")
    parser.add_argument("--model", help="only pairs of this catalogue model")
    parser.add_argument("--clear", action="store_true", help="only changes above the noise")
    parser.add_argument(
        "--regressions", action="store_true", help="engine builds that changed a rig's speed"
    )
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the pairs, one a line."""
    from ingest.pairs import FIELDS, pairable, pairs, regressions  # noqa: PLC0415 - lazy
    from ingest.store import opened  # noqa: PLC0415
    from rigbook.known import known  # noqa: PLC0415

    if args.field and args.field not in FIELDS:
        raise Misuse(f"--field takes one of {', '.join(FIELDS)}, got {args.field!r}")
    try:
        with opened(args.db) as connection:
            known(connection, "slug", args.slug)
            known(connection, "model", args.model)
            found = pairs(pairable(connection))
    except FileNotFoundError as error:
        raise Misuse(error) from error
    if args.regressions:
        found = regressions(found)
    found = [
        pair
        for pair in found
        if args.field in (None, pair.field)
        and (args.slug is None or args.slug in pair.slugs)
        and args.model in (None, pair.model)
        and (pair.clear or not args.clear)
    ]
    if args.json:
        document = {"schema": "rigbook.pairs/1", "pairs": [pair._asdict() for pair in found]}
        print(json.dumps(document, indent=1))
        return 0
    for p in found:
        what = " ".join(filter(None, (p.quantity, p.workload, f"[{p.protocol}]")))
        print(
            f"{p.field}: {p.before} → {p.after}: x{p.ratio:.2f} ({p.low:.2f}-{p.high:.2f}, 80 %)"
            f"{'' if p.clear else ', within the noise'}: {what}"
            f" {p.values[0]:.4g} → {p.values[1]:.4g}, {p.model} {p.quant}, {p.rig_id}"
        )
    print(f"{len(found)} pairs")
    return 0

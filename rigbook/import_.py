"""Turn collected rows (JSONL) and the seed table into bundles: same input, same bytes."""

import argparse
from pathlib import Path

EXAMPLES = """examples:
  rigbook import rows/*.jsonl --out data/reports
  rigbook import --seed data/seed/discussion-909.toml --out /tmp/reports"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook import`."""
    parser.add_argument("rows", nargs="*", type=Path, metavar="FILE", help="collected rows, JSONL")
    parser.add_argument("--seed", type=Path, help="table of the seed thread's figures")
    parser.add_argument("--out", type=Path, default=Path("data/reports"))


def run(args: argparse.Namespace) -> int:
    """Import everything; 1 if a row could not be read."""
    from ingest.problem import count_line, has_errors  # noqa: PLC0415 - only when the verb runs
    from ingest.record import import_record  # noqa: PLC0415

    problems = import_record(args.rows, args.seed, args.out)
    for problem in problems:
        print(problem)
    print(count_line(problems))
    return 1 if has_errors(problems) else 0

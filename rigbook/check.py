"""Validate bundles, the catalogue and launch configs; every problem is listed, then counted."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.check import Checked
    from ingest.problem import Problem

EXAMPLES = """examples:
  rigbook check data
  rigbook check data/reports/shaxs-core-i9-7900x --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook check`."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", default=[Path("data")])
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check the paths; 1 if anything is an error."""
    from ingest.check import check  # noqa: PLC0415 - only when the verb runs
    from ingest.duplicates import duplicate_problems, of_bundles  # noqa: PLC0415
    from ingest.problem import count_line, has_errors  # noqa: PLC0415

    checked = check(args.paths)
    repeated = duplicate_problems(of_bundles(checked.filed, checked.catalog))
    checked = checked._replace(problems=(*checked.problems, *repeated))
    problems = [*checked.problems, *_launcher_problems(args.paths, checked)]
    if args.json:
        found = [problem._asdict() for problem in problems]
        print(json.dumps({"schema": "rigbook.check/1", "problems": found}, indent=1))
    else:
        for problem in problems:
            print(problem)
        print(f"{len(checked.filed)} bundles checked: {count_line(problems)}")
    return 1 if has_errors(problems) else 0


def _launcher_problems(paths: list[Path], checked: "Checked") -> "list[Problem]":
    """Check the reference launch configs at the paths, against the same catalogue."""
    folders = [folder for path in paths for folder in (path, path / "launchers")]
    folders = [folder for folder in folders if (folder / "flags.toml").exists()]
    if not folders:
        return []
    from launch.config import load_launchers  # noqa: PLC0415 - only where there are configs

    return [one for folder in folders for one in load_launchers(folder, checked.catalog)[1]]

"""Judge a change: problems, redactions, its rows against the model, and what a merge would do.

The change is BASE..HEAD of this repository, or two folders: the record as it stands, and as it
would be. Nothing of the change is run.
"""

import argparse
import json
import tempfile
from pathlib import Path

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook review origin/main..HEAD --actor octocat --out review.md
  rigbook review ../rigbook-main . --no-fit"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook review`."""
    parser.add_argument("what", nargs="+", metavar="CHANGE", help="BASE..HEAD, or two folders")
    parser.add_argument("--actor", metavar="HANDLE", help="who asks for the change")
    parser.add_argument("--repo", type=Path, default=Path(), help="the repository of BASE..HEAD")
    parser.add_argument("--out", type=Path, help="write it here, cut to a comment's length")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write verdict and problems")
    parser.add_argument("--no-fit", action="store_true", help="do not fit the model anew")


def run(args: argparse.Namespace) -> int:
    """Review and report; 1 if the change is refused."""
    from ingest.changes import folder_tree, git_range  # noqa: PLC0415 - only when the verb runs
    from models.review import review  # noqa: PLC0415
    from sitegen.comment import LIMIT_CHARS, comment  # noqa: PLC0415
    from sitegen.preview import changed_pages  # noqa: PLC0415

    if len(args.what) == 1:
        before, after = git_range(args.repo, args.what[0])
    elif len(args.what) == 2:
        before, after = (folder_tree(Path(folder)) for folder in args.what)
    else:
        raise Misuse(f"takes BASE..HEAD or two folders, got {len(args.what)} words")
    with tempfile.TemporaryDirectory(prefix="rigbook-review-") as folder:
        found = review(before, after, Path(folder), actor=args.actor, refit=not args.no_fit)
        pages = changed_pages(*found.databases, found.judged.machines)
        report = comment(found, pages, LIMIT_CHARS if args.out else None)
    if args.json:
        problems = [problem._asdict() for problem in found.judged.problems]
        document = {"schema": "rigbook.review/1", "refused": found.refused, "problems": problems}
        args.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    if args.out:
        args.out.write_text(report, encoding="utf-8")
    else:
        print(report, end="")
    return 1 if found.refused else 0

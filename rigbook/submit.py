"""Show what will be published, check it, and open the pull request; offline up to the last step."""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from capture.submission import Change
    from ingest.bundle import Bundle

EXAMPLES = """examples:
  rigbook submit rigbook-run --to OWNER/NAME
  rigbook submit --retract 1a2b3c4d --reason 'a DIMM was missing' --to OWNER/NAME --yes"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook submit`."""
    parser.add_argument("path", nargs="?", type=Path, default=Path("rigbook-run"), metavar="PATH",
                        help="working folder or bundle folder (rigbook-run)")  # fmt: skip
    parser.add_argument(
        "--to", metavar="REPO", help="OWNER/NAME, address or path of the collection"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="stop before anything is sent")
    parser.add_argument("--update", metavar="ID", help="the bundle that this one supersedes")
    parser.add_argument("--retract", metavar="ID", help="take a bundle of yours back")
    parser.add_argument("--reason", metavar="TEXT", help="why, for --update and --retract")
    parser.add_argument("--submitter", metavar="HANDLE", help="who says so, for --retract")


class Shown(NamedTuple):
    """What was shown: the bundle, its folder, and where the page lies."""

    bundle: "Bundle"
    folder: Path
    page: Path


def run(args: argparse.Namespace) -> int:
    """Preview, check, ask, send; 1 if the bundle has errors or the sending fails."""
    from capture.submission import Failed  # noqa: PLC0415

    _sensible(args)
    if args.retract:
        shown, change = None, _retraction(args)
    else:
        shown = _shown(args.path)
        if shown is None:
            return 1
        change = _addition(args, shown)
    print(f"{change.title}\n{change.body}")
    if args.dry_run:
        return 0
    if not _agreed(args):
        print("nothing was sent", file=sys.stderr)
        return 0
    try:
        print(_send(args, change))
    except Failed as error:
        print(f"rigbook submit: {error}", file=sys.stderr)
        return 1
    return 0


def _sensible(args: argparse.Namespace) -> None:
    from capture.submission import checked_id  # noqa: PLC0415

    for given in (args.update, args.retract):
        if given:
            checked_id(given)
    if args.retract and args.update:
        raise Misuse("--update and --retract exclude each other")
    if args.retract and not args.reason:
        raise Misuse("--retract needs --reason: the row stays readable, with it beside")
    if not args.dry_run and not args.yes and not sys.stdin.isatty():
        raise Misuse("there is no terminal to ask at: --yes sends, --dry-run shows only")


def bundle_folder(path: Path) -> Path:
    """Find the one bundle folder at or below `path`."""
    found = sorted(one.parent for one in path.rglob("report.json"))
    if len(found) != 1:
        raise Misuse(f"{path} should hold one bundle, found {len(found)}; run `rigbook capture`")
    return found[0]


def _shown(path: Path) -> Shown | None:
    """Write the page and tell the problems; None where the bundle cannot be published."""
    from capture.card import card  # noqa: PLC0415
    from capture.preview import page, taken_out  # noqa: PLC0415
    from capture.report import Drafted  # noqa: PLC0415
    from ingest.check import check  # noqa: PLC0415
    from ingest.filing import Draft  # noqa: PLC0415
    from ingest.problem import count_line, has_errors  # noqa: PLC0415
    from ingest.redact import redact  # noqa: PLC0415
    from rigbook.expectation import expectations  # noqa: PLC0415

    folder = bundle_folder(path)
    found = check([folder])
    for problem in found.problems:
        print(problem, file=sys.stderr)
    print(count_line(found.problems), file=sys.stderr)
    if has_errors(found.problems) or not found.filed:
        return None
    bundle = found.filed[0].bundle
    files = {one.name: one.read_text(encoding="utf-8", errors="replace")
             for one in sorted(folder.iterdir())}  # fmt: skip
    left = [(name, one) for name, text in files.items() for one in redact(text).taken]
    for name, one in left:
        place = f"{folder / name}: line {one.line}"
        print(f"{place}: holds a {one.kind}; take it out (rigbook read does)", file=sys.stderr)
    if left:
        return None
    expected, _ = expectations(bundle)
    lines = card(Drafted(bundle, Draft("", {}), (), {}), expected)
    target = path / "preview.html" if path != folder else path.parent / "preview.html"
    target.write_text(page(bundle, files, lines, taken_out(files)), encoding="utf-8")
    print("\n".join(lines))
    print(f"all of it as a page: {target}")
    return Shown(bundle, folder, target)


def _addition(args: argparse.Namespace, shown: Shown) -> "Change":
    from capture.out import today  # noqa: PLC0415
    from capture.submission import Change  # noqa: PLC0415
    from ingest.bundle import Status  # noqa: PLC0415

    bundle = shown.bundle
    statuses: tuple[tuple[str, Status], ...] = ()
    if args.update:
        status = Status(
            state="superseded", reason=args.reason or f"superseded by {bundle.id[:8]}",
            date=today(), by=bundle.submitter or "its submitter",
            link=f"data/reports/{shown.folder.parent.name}/{shown.folder.name}",
        )  # fmt: skip
        statuses = ((args.update, status),)
    count = sum(len(run.measurements) for run in bundle.runs)
    what = f"{len(bundle.runs)} runs, {count} measurements" if bundle.runs else "the rig alone"
    return Change(
        folder=shown.folder, statuses=statuses, branch=f"report/{shown.folder.name}",
        title=f"Add {bundle.rig.machine}: {what}",
        body=f"One bundle, checked and redacted by rigbook submit.\n\n{_summary(bundle)}",
    )  # fmt: skip


def _summary(bundle: "Bundle") -> str:
    from capture.card import rig_lines  # noqa: PLC0415

    return "\n".join(f"- {line}" for line in rig_lines(bundle))


def _retraction(args: argparse.Namespace) -> "Change":
    from capture.out import today  # noqa: PLC0415
    from capture.submission import Change  # noqa: PLC0415
    from ingest.bundle import Status  # noqa: PLC0415

    status = Status(state="retracted", reason=args.reason, date=today(),
                    by=args.submitter or "its submitter")  # fmt: skip
    short = args.retract[:8]
    return Change(
        folder=None, statuses=((args.retract, status),), branch=f"retract/{short}",
        title=f"Retract {short}", body=args.reason,
    )  # fmt: skip


def _agreed(args: argparse.Namespace) -> bool:
    if args.yes:
        return True
    return input("Publish exactly this, under CC-BY-4.0? [y/N] ").strip().casefold() in {"y", "yes"}


def _send(args: argparse.Namespace, change: "Change") -> str:
    """Push where that is possible, else pack a file and prefill the address to attach it at."""
    import shutil  # noqa: PLC0415

    from capture.submission import (  # noqa: PLC0415
        Failed,
        address_of,
        on_github,
        pushed,
        staged,
    )

    address = address_of(args.to) if args.to else None
    github = on_github(address) if address else None
    if address is None or (github and not shutil.which("gh")):
        return _by_hand(args.path, change, github)
    try:
        with tempfile.TemporaryDirectory() as clone:
            return pushed(change, staged(change, address, Path(clone) / "collection"), address)
    except Failed as error:
        if not github:
            raise
        raise Failed(f"{error}\nor {_by_hand(args.path, change, github)}") from error


def _by_hand(path: Path, change: "Change", github: str | None) -> str:
    """Pack a file, and say where to attach it."""
    from capture.submission import attachment, issue_url  # noqa: PLC0415

    packed = attachment(change, (path if path.is_dir() else Path()) / "submission.zip")
    where = issue_url(github, change) if github else "an issue of the collection (--to names it)"
    return f"attach {packed} to: {where}"

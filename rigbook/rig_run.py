"""What `capture` and `bench` share: their flags, their catalogue, and how a bundle is told."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture.bandwidth import Curve
    from capture.journal import Journal
    from capture.report import Drafted
    from capture.rig import Pasted
    from ingest.catalog import Catalog


def add_rig_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags about the rig."""
    parser.add_argument("--out", type=Path, default=Path("rigbook-run"), metavar="DIR",
                        help="working folder (rigbook-run)")  # fmt: skip
    parser.add_argument("--dmidecode", type=Path, metavar="FILE",
                        help="text of `sudo dmidecode -t memory`")  # fmt: skip
    parser.add_argument("--lshw", type=Path, metavar="FILE", help="text of `lshw -class memory`")
    parser.add_argument("--machine", metavar="NAME", help="key of the machine")
    parser.add_argument("--state", metavar="NAME", help="key of its state, such as ddr4-3200-8ch")
    parser.add_argument("--submitter", metavar="HANDLE", help="public name to be credited")
    parser.add_argument("--no-bandwidth", action="store_true", help="leave the memory unmeasured")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def catalogue() -> "Catalog":
    """Load the shipped catalogue."""
    from ingest.catalog import load_catalog  # noqa: PLC0415
    from ingest.shipped import shipped  # noqa: PLC0415

    catalog, problems = load_catalog(Path(shipped("catalog")))
    if problems:
        raise Misuse(f"the shipped catalogue is damaged: {problems[0]}; reinstall rigbook")
    return catalog


def pasted(args: argparse.Namespace) -> "Pasted":
    """Read the texts that root made."""
    from capture.rig import Pasted  # noqa: PLC0415

    return Pasted(_text(args.dmidecode), _text(args.lshw))


MAX_TEXT_BYTES = 4_000_000


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_bytes()[:MAX_TEXT_BYTES].decode("utf-8", errors="replace")
    except OSError as error:
        raise Misuse(f"{path} cannot be read: {error.strerror}") from error


def measure_memory(journal: "Journal") -> "Curve | None":
    """Measure the memory unless the journal has it; None where it cannot be measured honestly."""
    from capture.bandwidth import Refused  # noqa: PLC0415
    from capture.session import bandwidth_into  # noqa: PLC0415

    if journal.of("bandwidth"):
        return None
    say(["measuring the memory over threads"])
    try:
        curve = bandwidth_into(journal)
    except Refused as error:
        say([f"memory not measured: {error}"])
        return None
    say(f"warning: {warning}" for warning in curve.warnings)
    return curve


def say(lines: "Iterable[str]") -> None:
    """Tell the person at the terminal."""
    for line in lines:
        print(line, file=sys.stderr)


def settled(folder: Path, made: "Drafted") -> int:
    """Check the bundle that was written; its problems, one a line, and the exit code."""
    from ingest.check import check  # noqa: PLC0415
    from ingest.problem import has_errors  # noqa: PLC0415

    problems = check([folder]).problems
    say(str(problem) for problem in problems)
    if made.redacted:
        say([f"redacted: {len(made.redacted)} names, hosts, keys or addresses"])
    return 1 if has_errors(problems) else 0

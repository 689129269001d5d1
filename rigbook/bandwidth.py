"""Measure the host's read bandwidth over the number of threads: the model's best input."""

import argparse
import json
import sys
from pathlib import Path

EXAMPLES = """examples:
  rigbook bandwidth
  rigbook bandwidth --threads 8 --threads 16 --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook bandwidth`."""
    parser.add_argument("--threads", type=int, action="append", metavar="N",
                        help="only this many threads; may be given again")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if no honest measurement can be made."""
    from capture.bandwidth import METHOD, Refused, entries, measure  # noqa: PLC0415
    from capture.card import counted  # noqa: PLC0415
    from capture.cpu import topology  # noqa: PLC0415
    from capture.tree import Tree  # noqa: PLC0415
    from ingest.misuse import Misuse  # noqa: PLC0415

    if any(count < 1 for count in args.threads or ()):
        raise Misuse("--threads takes a number from 1 to the cores of the machine")
    talk = sys.stderr.isatty()
    try:
        curve = measure(
            topology(Tree(Path("/"))),
            sorted(set(args.threads)) if args.threads else None,
            lambda point: print(f"  {point.threads:>4} threads  {point.best:7.1f} GB/s",
                                file=sys.stderr) if talk else None,
        )  # fmt: skip
    except Refused as error:
        print(f"rigbook bandwidth: {error}", file=sys.stderr)
        return 1
    for warning in curve.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    best = curve.best
    if args.json:
        figures = [entry.model_dump(exclude_none=True) for entry in entries(curve)]
        print(json.dumps({"schema": "rigbook.bandwidth/1", "figures": figures,
                          "knee_threads": curve.knee.threads}, indent=1))  # fmt: skip
        return 0
    print(
        f"{best.best:.1f} GB/s read ({METHOD}, best of {len(best.gbps)}, {min(best.gbps):.1f} to"
        f" {best.best:.1f}) with {counted(best.threads, 'thread')}; knee at"
        f" {counted(curve.knee.threads, 'thread')}"
        f" ({curve.knee.best:.1f}); {curve.array_mib} MiB read"
    )
    print(f"  rigbook predict --triad {best.best:.0f} --triad-method {METHOD} …")
    return 0

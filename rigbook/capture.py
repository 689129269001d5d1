"""Probe this rig and measure its memory into a bundle; nothing needs root."""

import argparse
import json

from rigbook.rig_run import add_rig_arguments

EXAMPLES = """examples:
  rigbook capture --submitter you
  rigbook capture --dmidecode dmi.txt --no-bandwidth --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook capture`."""
    add_rig_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Probe, measure, write the bundle; 1 if it has errors."""
    from capture.card import rig_lines  # noqa: PLC0415
    from capture.out import Out  # noqa: PLC0415
    from capture.session import Names, probe_into  # noqa: PLC0415
    from rigbook.rig_run import catalogue, measure_memory, pasted, say, settled  # noqa: PLC0415

    out, catalog = Out(args.out), catalogue()
    names = Names(args.machine, args.state, args.submitter)
    say(f"note: {line}" for line in probe_into(out.journal, catalog, pasted(args), names))
    if not args.no_bandwidth:
        measure_memory(out.journal)
    folder, made = out.write(catalog, args.submitter)
    code = settled(folder, made)
    if args.json:
        bundle = json.loads(made.draft.files["report.json"])
        print(json.dumps({"schema": "rigbook.capture/1", "folder": str(folder), "bundle": bundle},
                         indent=1, ensure_ascii=False))  # fmt: skip
    else:
        print("\n".join(rig_lines(made.bundle)))
        print(f"bundle: {folder}")
    return code

"""Bench a running server on this rig by the canonical protocol, into a bundle."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.misuse import Misuse
from rigbook.rig_run import add_rig_arguments

if TYPE_CHECKING:
    from capture.bench import Options, Timing
    from capture.client import Target
    from capture.out import Out
    from capture.runner import Ended, Progress

EXAMPLES = """examples:
  rigbook bench http://127.0.0.1:8080 --quick
  rigbook bench URL --sweep threads=8..32 --server 'llama-server -m M -t {threads}'"""


STAGES = ("greedy", "agentic", "soak")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook bench`."""
    parser.add_argument("url", metavar="URL", help="address of the server, without /v1")
    parser.add_argument("--quick", action="store_true", help="two minutes; never canonical")
    parser.add_argument("--resume", action="store_true", help="continue the run in --out")
    parser.add_argument("--no-prefill", action="store_true", help="leave out 10k and 90k prompts")
    parser.add_argument("--also", action="append", default=[], metavar="STAGE",
                        choices=STAGES, help="greedy, agentic or soak")  # fmt: skip
    parser.add_argument("--thinking", action="store_true", help="let the model think")
    parser.add_argument("--room", type=int, default=0, metavar="N", help="more tokens to think in")
    parser.add_argument("--served", metavar="ID", help="model, where the server has several")
    parser.add_argument("--slug", help="slug of the catalogue that is served")
    parser.add_argument("--catalog-model", metavar="ID", help="model id of the catalogue")
    parser.add_argument("--catalog-quant", metavar="ID", help="quant id of the catalogue")
    parser.add_argument("--engine", metavar="ID", help="engine of the catalogue, for a fork")
    parser.add_argument("--server-log", type=Path, metavar="FILE", help="the server's log")
    parser.add_argument("--pid", type=int, metavar="N", help="the serving process")
    parser.add_argument("--api-key-file", type=Path, metavar="FILE", help="key of the server")
    parser.add_argument("--timeout", action="append", default=[], metavar="[STAGE.]KIND=S",
                        help="KIND: connect, first, between or total")  # fmt: skip
    parser.add_argument("--sweep", metavar="NAME=VALUES", help="threads=8..32, depth=0,2 or ub=…")
    parser.add_argument("--server", metavar="CMD", help="command of a sweep, {NAME} in it")
    parser.add_argument("--boots", type=int, default=2, metavar="N", help="boots an arm (2)")
    add_rig_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Probe, bench, write the bundle, print the card; 1 if a stage did not run through."""
    from capture.endpoint import Unusable  # noqa: PLC0415
    from capture.out import Out  # noqa: PLC0415
    from capture.process import is_local  # noqa: PLC0415
    from capture.session import Names, probe_into  # noqa: PLC0415
    from rigbook.rig_run import catalogue, measure_memory, pasted, say  # noqa: PLC0415

    target, timing = _target(args), _timing(args)
    if not is_local(target.url):
        raise Misuse(f"{target.url} is not this machine: run on the rig that serves the model")
    out, catalog = Out(args.out), catalogue()
    if out.journal.of("run") and not args.resume:
        raise Misuse(f"{args.out} holds a run: --resume continues it, another --out begins one")
    names = Names(args.machine, args.state, args.submitter)
    say(f"note: {line}" for line in probe_into(out.journal, catalog, pasted(args), names))
    interrupted = False
    ended: list[Ended] = []
    try:
        if not (args.no_bandwidth or args.quick or args.sweep):
            measure_memory(out.journal)
        ended = _benched(args, target, out, timing)
    except Unusable as error:
        say([f"rigbook bench: {error}"])
        if not out.journal.of("run"):
            return 1
        ended = []
    except KeyboardInterrupt:
        interrupted = True
        say(["interrupted: what was measured is kept; --resume continues"])
    code = _tell(args, out, catalog, ended)
    return 130 if interrupted else code


def _benched(
    args: argparse.Namespace, target: "Target", out: "Out", timing: "Timing"
) -> "list[Ended]":
    from capture.bench import bench  # noqa: PLC0415
    from capture.sweep import parse_sweep, run_sweep  # noqa: PLC0415
    from rigbook.rig_run import say  # noqa: PLC0415

    options = _options(args)
    if not args.sweep:
        return bench(target, out.journal, options, timing)
    sweep = parse_sweep(args.sweep, args.server, args.boots, out.log)
    # A boot is short on purpose: the arms differ by boot more than by run.
    short = options._replace(prefill=False, runs=(1, 3))
    out.path.mkdir(parents=True, exist_ok=True)
    said = timing._replace(say=lambda line: say([line]))
    return run_sweep(sweep, target, out.journal, short, said)


def _options(args: argparse.Namespace) -> "Options":
    from capture.bench import Options  # noqa: PLC0415

    if args.room < 0:
        raise Misuse(f"--room takes tokens to add, got {args.room}")
    return Options(
        quick=args.quick, prefill=not args.no_prefill, extra=tuple(dict.fromkeys(args.also)),
        room=args.room, thinking=args.thinking, slug=args.slug, model=args.catalog_model,
        quant=args.catalog_quant, served=args.served, pid=args.pid,
        engine=args.engine, log=args.server_log,
    )  # fmt: skip


def _target(args: argparse.Namespace) -> "Target":
    from capture.client import Target  # noqa: PLC0415

    if not re.match(r"https?://[^/]", args.url):
        raise Misuse(f"the address should begin with http:// or https://, got {args.url!r}")
    url = re.sub(r"(/v1)?/*$", "", args.url)
    if args.api_key_file is None:
        return Target(url)
    try:
        return Target(url, args.api_key_file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"--api-key-file {args.api_key_file} cannot be read: {error}") from error


def _timing(args: argparse.Namespace) -> "Timing":
    from capture.bench import Timing  # noqa: PLC0415
    from capture.client import Timeouts  # noqa: PLC0415

    limits: dict[str, Timeouts] = {}
    for text in args.timeout:
        found = re.fullmatch(r"(?:([a-z0-9-]+)\.)?(connect|first|between|total)=([0-9.]{1,9})",
                             text)  # fmt: skip
        if not found or not float(found[3]):
            raise Misuse(f"--timeout {text!r}: write first=600 or prefill-90k.first=3600")
        stage = found[1] or "*"
        base = limits.get(stage) or limits.get("*") or Timeouts()
        limits[stage] = base._replace(**{f"{found[2]}_s": float(found[3])})
    return Timing(limits, _progress if sys.stderr.isatty() else lambda _: None)


BAR = 24


def _progress(at: "Progress") -> None:
    """Draw one line: how much of the stage is done, and how long all stages still take."""
    filled = round(BAR * at.done / max(at.size, 1))
    left = "" if at.left_s is None else f"  about {max(round(at.left_s / 60), 1)} min left"
    bar = f"{'#' * filled}{'.' * (BAR - filled)}"
    print(f"\r\033[K{at.stage:<24} {bar} {at.done}/{at.size}{left}", end="", file=sys.stderr,
          flush=True)  # fmt: skip


def _tell(args: argparse.Namespace, out: "Out", catalog: object, ended: "list[Ended]") -> int:
    from capture.card import card  # noqa: PLC0415
    from capture.run import unmapped  # noqa: PLC0415
    from rigbook.expectation import expectations  # noqa: PLC0415
    from rigbook.rig_run import say, settled  # noqa: PLC0415

    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    folder, made = out.write(catalog, args.submitter)  # type: ignore[arg-type]
    say(f"{one.stage} {one.workload}: {one.reason}" for one in ended if one.reason)
    say(f"skipped: {line['reason']}" for line in out.journal.of("skipped"))
    for one in made.bundle.runs:
        say(f"note: {line}" for line in unmapped(one))
    code = settled(folder, made)
    expected, reasons = expectations(made.bundle)
    say(f"note: {reason}" for reason in reasons)
    if args.json:
        panels = {run: [finding._asdict() for finding in found]
                  for run, found in made.panels.items()}  # fmt: skip
        bundle = json.loads(made.draft.files["report.json"])
        print(json.dumps({"schema": "rigbook.bench/1", "folder": str(folder), "bundle": bundle,
                          "integrity": panels}, indent=1, ensure_ascii=False))  # fmt: skip
    else:
        print("\n".join(card(made, expected)))
        print(f"bundle: {folder}\nnext: rigbook submit {out.path}")
    return 1 if code or any(one.reason for one in ended) else 0

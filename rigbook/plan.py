"""Does it fit, where does each expert go, and which line does it; speeds of the alternatives."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from launch.ask import Ask, Rig, Shelf
    from launch.plan import Plan

EXAMPLES = """examples:
  rigbook plan --slug llamacpp/deepseek-flash-dual-q8 --gpu 'RTX 3090x2' --ram 196
  rigbook plan --gguf m.gguf --from-this-machine --format compose"""

FORMATS = ("argv", "compose", "systemd", "llama-swap", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook plan`."""
    add = parser.add_argument
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--slug", metavar="S", help="a slug of the catalogue")
    what.add_argument("--gguf", metavar="FILE|URL", help="any mixture-of-experts GGUF")
    add("--gpu", action="append", metavar="'NAME[xN]'", default=[], help="repeat")
    add("--free-vram", metavar="MIB,…", help="free memory of each card, where it is known")
    add("--devices", metavar="D,…", help="the engine's names of the cards (default: CUDA0,…)")
    add("--ram", type=float, metavar="GIB", help="host memory installed")
    add("--from-this-machine", action="store_true", help="memory and cards of this machine")
    add("--ctx", type=int, metavar="TOKENS")
    add("--ubatch", type=int, metavar="N")
    add("--kv", metavar="TYPE", help="type of the cache: f16, q8_0, …")
    add("--depth", type=int, metavar="N", help="tokens drafted a pass, 0 = no drafter")
    add("--threads", type=int, metavar="N")
    add("--build", metavar="B", help="engine build that the line is for")
    add("--port", type=int, metavar="N")
    add("--weights", metavar="FILE", help="first file of the weights, where it is named otherwise")
    add("--models", metavar="DIR", default="/models", help="folder of the weights")
    add("--reference", action="store_true", help="place as the reference launcher does")
    add("--triad", type=float, metavar="GBPS", help="with --cores: speeds of the alternatives")
    add("--cores", type=int, metavar="N", help="physical cores")
    add("--workload", default="narrative", metavar="W")
    add("--format", choices=FORMATS, default="argv")


def run(args: argparse.Namespace) -> int:
    """Plan, simulate and print; 1 where it does not fit or the input is broken."""
    from launch.ask import plan_for, shipped_shelf  # noqa: PLC0415 - only when the verb runs
    from launch.flags import FlagError  # noqa: PLC0415
    from launch.gguf import GgufError  # noqa: PLC0415
    from launch.subject import PlanError  # noqa: PLC0415
    from rigbook.ranking import ranking  # noqa: PLC0415

    _check(args)
    try:
        shelf = shipped_shelf()
        rig = _here(args, shelf)
        plan = plan_for(_ask(args), shelf, rig)
        _named(plan)
        ranked = ranking(args, shelf, plan)
        write = _document if args.format == "json" else _text
        print(write(args, shelf, plan, ranked))
    except (GgufError, PlanError, FlagError) as error:
        sys.stderr.write(f"{error}\n1 error\n")
        return 1
    return 1 if plan.fits is False else 0


def _check(args: argparse.Namespace) -> None:
    from launch.payload import KV_FACTOR  # noqa: PLC0415 - only when the verb runs

    for flag in ("ram", "ctx", "ubatch", "threads", "port", "triad", "cores"):
        value = getattr(args, flag)
        if value is not None and not 0 < value < 1e9:
            raise Misuse(f"--{flag}: should be above 0, got {value:g}")
    if args.depth is not None and not 0 <= args.depth <= 64:
        raise Misuse(f"--depth: should be 0 to 64 tokens a pass, got {args.depth}")
    if args.port is not None and args.port > 65535:
        raise Misuse(f"--port: should be 1 to 65535, got {args.port}")
    if args.weights and args.gguf:
        raise Misuse("--weights: goes with --slug; --gguf names its file itself")
    if args.kv is not None and args.kv not in KV_FACTOR:
        raise Misuse(f"--kv: no cache type {args.kv!r}; known: {', '.join(KV_FACTOR)}")


def _named(plan: "Plan") -> None:
    """Refuse a line with a stand-in for the file of the weights. Raises Misuse."""
    from launch.line import UNNAMED  # noqa: PLC0415 - only when the verb runs

    if plan.server.model.endswith(UNNAMED):
        raise Misuse("--weights: the author never named the slug's files; give the first of yours")


def _ask(args: argparse.Namespace) -> "Ask":
    from launch.ask import Ask  # noqa: PLC0415 - only when the verb runs
    from launch.plan import Wish  # noqa: PLC0415

    named = ("ctx", "ubatch", "kv", "depth", "threads", "cores", "port", "reference")
    return Ask(
        args.slug,
        args.gguf,
        args.weights,
        tuple(args.gpu),
        args.free_vram,
        args.devices,
        args.ram,
        args.models,
        args.build,
        Wish(**{name: getattr(args, name) for name in named}),
    )


def _here(args: argparse.Namespace, shelf: "Shelf") -> "Rig | None":
    """Take memory, cores and cards of this machine, unless others were typed."""
    if not args.from_this_machine:
        return None
    from ingest.hardware import find_gpu  # noqa: PLC0415 - only when the verb runs
    from launch.ask import rig_here, subject_of  # noqa: PLC0415
    from launch.machine import this_machine  # noqa: PLC0415 - asks the driver

    here = this_machine()
    args.cores = args.cores or here.cores
    args.ram = args.ram or here.memory.total_gib
    rig = rig_here(_ask(args), shelf, subject_of(_ask(args), shelf), here)
    if not args.gpu and not args.free_vram:
        # Speeds are predicted for the cards by name, where the catalogue has all of them.
        entries = [find_gpu(shelf.catalog, c.name, c.total_mib / 1024) for c in here.cards]
        args.gpu = [entry.name for entry in entries if entry] if all(entries) else []
    return rig


def _text(
    args: argparse.Namespace, shelf: "Shelf", plan: "Plan", ranked: list[dict[str, Any]]
) -> str:
    """Write the line, with everything else as comments before it: the whole can be pasted."""
    from launch.download import download_lines  # noqa: PLC0415 - only when the verb runs
    from launch.formats import FORMATS as WRITERS  # noqa: PLC0415
    from launch.plan import launch_of  # noqa: PLC0415
    from launch.told import lines  # noqa: PLC0415
    from rigbook.ranking import line_of, lines_of, rows_of  # noqa: PLC0415

    told = lines(plan)
    if plan.subject.slug:
        told += lines_of(rows_of(plan))
    if plan.subject.config:
        told += download_lines(plan.subject, shelf.catalog, args.models)
    if ranked:
        told.append(f"alternatives, {args.workload}, best first:")
        told += [line_of(row) for row in ranked]
    elif args.triad is None or args.cores is None:
        told.append("speeds of the alternatives: give --triad GBPS and --cores N")
    elif plan.subject.slug:
        told.append("alternatives: no slug of this model is made for so few cards")
    else:
        told.append("speeds: unknown, the header does not state the widths that a token reads")
    if plan.fits is False:
        written = "# no line: it does not fit"
    else:
        written = WRITERS[args.format](launch_of(plan, shelf.launchers)).rstrip()
    return "\n".join([*(f"# {line}" for line in told), written])


def _document(
    args: argparse.Namespace, shelf: "Shelf", plan: "Plan", ranked: list[dict[str, Any]]
) -> str:
    from launch.download import download_plans  # noqa: PLC0415 - only when the verb runs
    from launch.plan import launch_of  # noqa: PLC0415
    from launch.told import document  # noqa: PLC0415
    from rigbook.ranking import rows_of  # noqa: PLC0415

    launch = launch_of(plan, shelf.launchers)
    config = plan.subject.config
    downloads = download_plans(config, args.models) if config else []
    whole = {
        "schema": "rigbook.plan/1",
        **document(plan),
        "build": plan.server.build,
        "argv": ["llama-server", *launch.argv],
        "environment": dict(launch.environment),
        "downloads": [one._asdict() for one in downloads],
        "measured": rows_of(plan),
        "alternatives": ranked,
    }
    return json.dumps(whole, indent=1)

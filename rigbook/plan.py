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

    _check(args)
    try:
        shelf = shipped_shelf()
        rig = _here(args, shelf)
        plan = plan_for(_ask(args), shelf, rig)
        ranked = _ranked(args, shelf, plan)
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
    if args.kv is not None and args.kv not in KV_FACTOR:
        raise Misuse(f"--kv: no cache type {args.kv!r}; known: {', '.join(KV_FACTOR)}")


def _ask(args: argparse.Namespace) -> "Ask":
    from launch.ask import Ask  # noqa: PLC0415 - only when the verb runs
    from launch.plan import Wish  # noqa: PLC0415

    named = ("ctx", "ubatch", "kv", "depth", "threads", "cores", "port", "reference")
    return Ask(
        args.slug,
        args.gguf,
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
    from launch.ask import rig_of, subject_of  # noqa: PLC0415 - only when the verb runs
    from launch.machine import this_machine  # noqa: PLC0415 - asks the driver

    here = this_machine()
    args.cores = args.cores or here.cores
    if not args.gpu and not args.free_vram and here.cards:
        args.free_vram = ",".join(f"{card.free_mib:.0f}" for card in here.cards)
    typed = rig_of(_ask(args), shelf, subject_of(_ask(args), shelf))
    total = args.ram or here.memory.total_gib
    return typed._replace(memory=here.memory._replace(total_gib=total))


def _ranked(args: argparse.Namespace, shelf: "Shelf", plan: "Plan") -> list[dict[str, Any]]:
    """Predict each alternative; those that fit first, then by speed."""
    slug = plan.subject.slug
    if args.triad is None or args.cores is None or slug is None:
        return []
    from ingest.hardware import counted  # noqa: PLC0415
    from launch.alternatives import alternatives  # noqa: PLC0415 - only when the verb runs
    from launch.verdict import Memory  # noqa: PLC0415
    from models.predict import predict  # noqa: PLC0415
    from models.record import load_model  # noqa: PLC0415
    from models.request import GpuRequest, Request  # noqa: PLC0415

    fitted = load_model(None)
    rig = Request(
        triad_gbps=args.triad,
        cores=args.cores,
        ram_gib=args.ram,
        gpus=tuple(GpuRequest(*counted(text)) for text in args.gpu),
        workload=args.workload,
    )
    found = []
    for one in alternatives(
        slug.model, shelf.catalog, shelf.launchers, plan.cards, Memory(args.ram)
    ):
        layers = len(one.plan.layout.placement.on_cpu)
        asked = rig._replace(slugs=(one.slug,), depth=one.depth, cpu_layers=layers)
        (answer,) = predict(fitted, None, asked)
        row = {"slug": one.slug, "depth": one.depth, "ubatch": one.ubatch, "fits": one.plan.fits}
        said = ("tokens_per_s", "low", "high", "level", "basis", "rigs", "rows", "limit")
        row |= {key: getattr(answer, key) for key in said}
        nearest = [near._asdict() for near in answer.nearest]
        found.append(row | {"layers_on_cpu": answer.layers_on_cpu, "nearest": nearest})
    return sorted(found, key=lambda row: (row["fits"] is False, -row["tokens_per_s"]))


def _text(
    args: argparse.Namespace, shelf: "Shelf", plan: "Plan", ranked: list[dict[str, Any]]
) -> str:
    """Write the line, with everything else as comments before it: the whole can be pasted."""
    from launch.download import download_lines  # noqa: PLC0415 - only when the verb runs
    from launch.formats import FORMATS as WRITERS  # noqa: PLC0415
    from launch.plan import launch_of  # noqa: PLC0415
    from launch.told import lines  # noqa: PLC0415

    told = lines(plan)
    if plan.subject.config:
        told += download_lines(plan.subject, shelf.catalog, args.models)
    if ranked:
        told.append(f"alternatives, {args.workload}, best first:")
        told += [_row(row) for row in ranked]
    elif plan.subject.slug:
        told.append("speeds of the alternatives: give --triad GBPS and --cores N")
    if plan.fits is False:
        written = "# no line: it does not fit"
    else:
        written = WRITERS[args.format](launch_of(plan, shelf.launchers)).rstrip()
    return "\n".join([*(f"# {line}" for line in told), written])


def _row(row: dict[str, Any]) -> str:
    fits = {True: "fits", False: "DOES NOT FIT", None: "memory unknown"}[row["fits"]]
    return (
        f"  {row['tokens_per_s']:5.1f} t/s ({row['low']:.1f} to {row['high']:.1f}, "
        f"{row['level']:.0%}, {row['basis']}, {row['rows']} rows of {row['rigs']} rigs)  "
        f"{row['slug']}  depth {row['depth']}, ubatch {row['ubatch']}, "
        f" {row['layers_on_cpu']} layers on the host: {fits}"
    )


def _document(
    args: argparse.Namespace, shelf: "Shelf", plan: "Plan", ranked: list[dict[str, Any]]
) -> str:
    from launch.download import download_plans  # noqa: PLC0415 - only when the verb runs
    from launch.plan import launch_of  # noqa: PLC0415
    from launch.told import document  # noqa: PLC0415

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
        "alternatives": ranked,
    }
    return json.dumps(whole, indent=1)

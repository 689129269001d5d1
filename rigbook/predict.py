"""Tokens/s of each slug on a rig, with interval, evidence and limit."""

import argparse
from pathlib import Path

from ingest.hardware import counted
from ingest.misuse import Misuse
from models.request import GpuRequest, OwnRun, Request

EXAMPLES = """examples:
  predict --triad 52 --cores 16
  predict --channels 8 --mts 3200 --cpu 'EPYC 7543' --ram 256 --gpu 'RTX 3090x2' --workload code"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook predict`."""
    add = parser.add_argument
    add("--triad", type=float, metavar="GBPS", dest="triad_gbps", help="measured bandwidth, GB/s")
    add("--triad-method", metavar="M", help="how it was measured (default: stream, assumed)")
    add("--channels", type=int, metavar="N", help="memory channels populated")
    add("--mts", type=float, metavar="N", help="configured transfer rate, MT/s")
    add("--cores", type=int, metavar="N", help="physical cores, all sockets")
    add("--sockets", type=int, metavar="N", default=1)
    add("--threads", metavar="N|auto", default="auto", help="auto: the knee")
    add("--smt", choices=("on", "off"), help="threads beyond the cores are SMT threads")
    add("--cpu", metavar="NAME", help="processor, as its maker or the system writes it")
    add("--ram", type=float, metavar="GIB", dest="ram_gib")
    add("--gpu", action="append", metavar="'NAME[xN]'", default=[], help="repeat, or none")
    add("--vram", type=float, metavar="GIB", dest="vram_gib", help="all cards together")
    add("--slug", action="append", metavar="S", default=[], help="the full answer for one slug")
    add("--model", metavar="M", help="a model of the catalogue, slug or not")
    add("--quant", metavar="Q")
    add("--workload", default="narrative", metavar="W", help="narrative (default), code, …")
    add("--depth", type=int, metavar="N", help="tokens drafted a pass, 0 = no drafter")
    add("--acceptance", type=float, metavar="F", help="accepted share of drafted tokens")
    add("--hit-rate", type=float, metavar="F", help="expert cache hits, 0 = no cache")
    add("--cpu-layers", type=int, metavar="N", help="layers whose experts stay on the CPU")
    add("--at", type=int, metavar="TOKENS", dest="at_tokens", default=0, help="context filled")
    add("--ctx", type=int, metavar="TOKENS", dest="ctx_tokens", help="context allocated")
    add("--ubatch", type=int, metavar="TOKENS", help="physical batch of the prefill")
    add("--mine", action="append", metavar="SLUG[:WORKLOAD]=TPS", default=[], help="own run")
    add("--what-if", metavar="KEY=VALUE,…", help="e.g. triad=116,channels=8: the difference")
    add("--level", type=float, default=0.8, help="of the interval: 0.5, 0.8 (default), 0.9")
    add("--model-file", type=Path, metavar="FILE")
    add("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Answer on stdout; Misuse for what no rig can be."""
    from models.predict import predict  # noqa: PLC0415 - only when the verb runs
    from models.record import load_model  # noqa: PLC0415
    from models.told import change_lines, document, lines  # noqa: PLC0415
    from models.what_if import changed, what_if  # noqa: PLC0415

    request = request_of(args)
    model = load_model(args.model_file)
    answers = predict(model, None, request, advise=bool(args.slug))
    changes = (
        what_if(model, None, request, changed(request, args.what_if)) if args.what_if else None
    )
    if args.json:
        import json  # noqa: PLC0415

        print(json.dumps(document(model, request, answers, changes), indent=1))
    elif changes is not None:
        print(*change_lines(request, changes, args.what_if), sep="\n")
    else:
        print(*lines(request, answers, whole=bool(args.slug or args.model)), sep="\n")
    return 0


def request_of(args: argparse.Namespace) -> Request:
    """Turn flags into a request."""
    plain = {
        field: getattr(args, field)
        for field in Request._fields
        if field not in {"threads", "smt", "gpus", "slugs", "mine"}
    }
    gpus = tuple(GpuRequest(*counted(text)) for text in args.gpu)
    smt = None if args.smt is None else args.smt == "on"
    return Request(
        **plain,
        threads=_threads(args.threads),
        smt=smt,
        gpus=gpus,
        slugs=tuple(args.slug),
        mine=tuple(_own_run(text) for text in args.mine),
    )


def _threads(text: str) -> int | None:
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise Misuse(f"--threads: should be a number or auto, got {text!r}") from None


def _own_run(text: str) -> OwnRun:
    """Read `SLUG[:WORKLOAD]=TPS`."""
    named, _, speed = text.rpartition("=")
    slug, _, workload = named.partition(":")
    try:
        return OwnRun(slug, float(speed), workload or None)
    except ValueError:
        wanted = "SLUG[:WORKLOAD]=TPS, e.g. llamacpp/deepseek-flash-dual-q8=12.4"
        raise Misuse(f"--mine: should be {wanted}; got {text!r}") from None

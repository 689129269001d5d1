"""Find what is wrong with a launch line or a compose file, each finding with its fix."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.misuse import Misuse

if TYPE_CHECKING:
    from launch.finding import Known

EXAMPLES = """examples:
  rigbook lint-launch "llama-server -m m.gguf -ot 'exps=CPU' -ngl 99 --fit off" --build b11434
  rigbook lint-launch compose.yml --gguf ~/models/m-00001-of-00005.gguf --cores 16"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook lint-launch`."""
    parser.add_argument("line", metavar="LINE|FILE|-", help="a launch line, a file, or stdin")
    parser.add_argument("--build", metavar="B", help="engine build, such as b11434")
    parser.add_argument("--gguf", metavar="FILE|URL", help="run the rules on this model's tensors")
    parser.add_argument("--cores", type=int, metavar="N", help="physical cores of the host")
    parser.add_argument("--slug", metavar="S", help="take the model's bytes from this slug")
    parser.add_argument("--gpu", action="append", metavar="'NAME[xN]'", default=[])
    parser.add_argument("--free-vram", metavar="MIB,…", help="free memory of each card")
    parser.add_argument("--models", type=Path, metavar="DIR", help="folder of the weights")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Lint every server of the text; 1 if anything is an error."""
    from ingest.problem import count_line, has_errors  # noqa: PLC0415 - only when the verb runs
    from launch.command import CommandError, read_commands  # noqa: PLC0415
    from launch.gguf import GgufError  # noqa: PLC0415
    from launch.lint import lint  # noqa: PLC0415
    from launch.subject import PlanError  # noqa: PLC0415

    if args.cores is not None and args.cores < 1:
        raise Misuse(f"--cores is {args.cores}; give the number of physical cores")
    name, text = _text(args.line)
    try:
        commands = read_commands(text, name)
        known = _known(args)
        problems = [problem for command in commands for problem in lint(command, known)]
    except (CommandError, GgufError, PlanError) as error:
        sys.stderr.write(f"{error}\n1 error\n")
        return 1
    if args.json:
        found = [problem._asdict() for problem in problems]
        print(json.dumps({"schema": "rigbook.lint-launch/1", "problems": found}, indent=1))
    else:
        for problem in problems:
            print(problem)
        print(f"{len(commands)} line{'s' if len(commands) > 1 else ''}: {count_line(problems)}")
    return 1 if has_errors(problems) else 0


def _text(said: str) -> tuple[str, str]:
    """Read the line itself, the file of that name, or stdin."""
    if said == "-":
        return "stdin", sys.stdin.read()
    path = Path(said)
    try:
        if len(said) < 4096 and "\n" not in said and path.is_file():
            return said, path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Misuse(f"{said[:80]}: cannot be read: {error.strerror}") from error
    if " " not in said.strip():
        raise Misuse(f"{said}: there is no such file, and it is no launch line")
    return "line", said


def _known(args: argparse.Namespace) -> "Known":
    from launch.ask import Ask, shipped_shelf, subject_of  # noqa: PLC0415 - only when the verb runs
    from launch.finding import Known  # noqa: PLC0415
    from launch.rig import cards_of, named_cards, numbers  # noqa: PLC0415

    shelf = shipped_shelf()
    flags = shelf.launchers.flags
    build = flags.nearest(args.build) if args.build else None
    if args.build and build is None:
        raise Misuse(f"--build {args.build}: unknown; known: {', '.join(flags.builds)}")
    free = numbers(args.free_vram, "--free-vram") if args.free_vram else None
    cards = cards_of(named_cards(args.gpu, shelf.catalog), free, None)
    known = Known(flags, build, None, args.cores, args.models, None, cards.free_mib)
    if args.gguf or args.slug:
        subject = subject_of(Ask(slug=args.slug, gguf=args.gguf), shelf)
        drafter = subject.slug.drafter if subject.slug else None
        known = known._replace(
            tensors=subject.tensors,
            payload=subject.payload,
            drafter_mib=(drafter.file_gib or 0.0) * 1024 if drafter else 0.0,
        )
    return known

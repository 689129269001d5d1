"""What a bench prints about each prompt, tables and progress lines together."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.readers.report.bench_lines import RunLine, Stat, progress_line, run_line, stat_line
from ingest.readers.report.block import Block, named
from ingest.readers.text import Line

# shape → (characters of the prompt, most tokens) of the canonical protocol
CANONICAL = {"narrative": (65, 1000), "code": (78, 800)}


class Shape(NamedTuple):
    """Everything printed about one prompt: its runs by number, its summary, its marks."""

    name: str
    runs: dict[int, RunLine]
    stats: list[Stat]
    n: int | None
    canonical: bool
    derived: int | None
    lines: list[int]


_HEAD = re.compile(
    r" *=+ (narrative|code|prompt-processing|prefill-[0-9]{1,4}k) \((?:prompt=([0-9]{1,6}) chars)?"
    r"[^)]{0,40}?max_tokens=([0-9]{1,7})",
    re.ASCII | re.IGNORECASE,
)
_SUMMARY = re.compile(r"summary \[([a-z0-9-]{1,30})\] \(n=([0-9]{1,4})\)", re.ASCII)
_SHAPE = re.compile(r"(narrative|code|prompt-processing|prefill-[0-9]{1,4}k)\b", re.ASCII)


def shapes_of(blocks: Sequence[Block]) -> dict[str, Shape]:
    """Collect what the bench prints about each prompt, tables and progress lines together."""
    shapes: dict[str, Shape] = {}
    current = ""
    for block in blocks:
        if block.name.startswith("[bench]"):
            continue
        found = _SHAPE.match(block.name)
        summary = _SUMMARY.match(block.name)
        if found:
            current = found[1]
        elif summary:
            current = summary[1]
        elif not block.name.startswith(("measured", "warmups")):
            current = ""
        if current:
            shapes[current] = _with(shapes.get(current) or _empty(current), block, summary)
    for block in named(blocks, "[bench]"):
        for line in block.lines:
            progress = progress_line(line)
            if progress:
                shape = shapes.setdefault(progress[0], _empty(progress[0]))
                shape.runs.setdefault(progress[1].ordinal, progress[1])
                shape.lines.append(line.number)
    return shapes


def _empty(name: str) -> Shape:
    return Shape(name, {}, [], None, canonical=True, derived=None, lines=[])


def _with(shape: Shape, block: Block, summary: re.Match[str] | None) -> Shape:
    for line in block.lines:
        run = run_line(line)
        stat = stat_line(line)
        head = _HEAD.match(line.text)
        if run:
            if run[0] == "run":
                shape.runs[run[1].ordinal] = run[1]
        elif stat:
            shape.stats.append(stat)
        elif head:
            shape = shape._replace(canonical=_is_canonical(shape.name, head))
        elif "DERIVED, NOT MEASURED" in line.text or "CANVAS GRANULARITY" in line.text:
            shape = shape._replace(derived=line.number)
        elif not _says_nothing(line):
            continue
        shape.lines.append(line.number)
    return shape._replace(n=int(summary[2])) if summary else shape


def _is_canonical(name: str, head: re.Match[str]) -> bool:
    wanted = CANONICAL.get(name)
    if not wanted or not head[2]:
        return True
    return (int(head[2]), int(head[3])) == wanted


_QUIET = ("===", "n-usable", "PP tok/s", "[calibrated", "⚠ WARN", "Fix:", "SKIP", "decode-window")


def _says_nothing(line: Line) -> bool:
    return line.text.strip().startswith(_QUIET)

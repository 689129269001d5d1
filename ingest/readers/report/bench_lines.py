"""The lines of a bench: one measured run, one summary statistic, in every form they are printed."""

import re
from typing import NamedTuple

from ingest.readers.text import Line


class RunLine(NamedTuple):
    """One measured run. What the line does not print is None."""

    ordinal: int
    line: int
    tokens: int | None = None
    prompt_tokens: int | None = None
    ttft_ms: float | None = None
    wall_tps: float | None = None
    decode_tps: float | None = None
    prefill_tps: float | None = None


class Stat(NamedTuple):
    """One line of a summary: mean, spread and range."""

    name: str
    line: int
    mean: float
    std: float
    cv_percent: float | None
    low: float
    high: float


_FIELD = re.compile(
    r"(wall|ttft|toks|wall_TPS|decode_TPS|prompt_toks|PP_tok/s)"
    r" ?= *([0-9]{1,12}(?:[.,][0-9]{1,6})?|n/a)",
    re.ASCII,
)
_RUN = re.compile(r" *(run|warm)-([0-9]{1,3}) +", re.ASCII)
_PROGRESS = re.compile(
    r"\[bench\] (narrative|code|prompt-processing|prefill-[0-9]{1,4}k) run ([0-9]{1,3})/[0-9]{1,3}:"
    r" ([0-9]{1,8}) (tok in|prompt tok,) ([0-9.,]{1,12})(.{1,120})",
    re.ASCII,
)
_TTFT = re.compile(r".{0,40}?ttft ([0-9]{1,9})ms", re.ASCII)


def _float(text: str | None) -> float | None:
    """Read a figure of a recognised line; a decimal comma counts as a point."""
    try:
        return float((text or "").replace(",", "."))
    except ValueError:
        return None


def run_line(line: Line) -> tuple[str, RunLine] | None:
    """Read `  run-1  wall=…` or `  warm-1 …` → (run | warm, the run); None for another line."""
    start = _RUN.match(line.text)
    if not start:
        return None
    fields = {name: _float(value) for name, value in _FIELD.findall(line.text[:400])}
    tokens, prompt = fields.get("toks"), fields.get("prompt_toks")
    run = RunLine(
        int(start[2]),
        line.number,
        None if tokens is None else int(tokens),
        None if prompt is None else int(prompt),
        fields.get("ttft"),
        fields.get("wall_TPS"),
        fields.get("decode_TPS"),
        fields.get("PP_tok/s"),
    )
    return start[1], run


def progress_line(line: Line) -> tuple[str, RunLine] | None:
    """Read `[bench] code run 1/5: …` → (shape, the run); None for another line."""
    found = _PROGRESS.match(line.text)
    if not found:
        return None
    shape, index, tokens, kind, rate, rest = found.groups()
    ttft = _TTFT.match(rest)
    ttft_ms = float(ttft[1]) if ttft else None
    if kind == "prompt tok,":
        run = RunLine(int(index), line.number, None, int(tokens), ttft_ms, None, None, _float(rate))
        return shape, run
    tail = re.match(r"s \(([0-9]{1,9}(?:\.[0-9]{1,6})?) (decode|wall) TPS", rest, re.ASCII)
    decode = _float(tail[1]) if tail and tail[2] == "decode" else None
    wall = _float(tail[1]) if tail and tail[2] == "wall" else None
    return shape, RunLine(int(index), line.number, int(tokens), None, ttft_ms, wall, decode)


_STAT = re.compile(
    r" *([0-9]{1,12}(?:[.,][0-9]{1,6})?)(?:ms)? +std= *([0-9]{1,12}(?:[.,][0-9]{1,6})?)(?:ms)?"
    r"(?: +CV= *([0-9]{1,12}(?:[.,][0-9]{1,6})?)%)? +min= *([0-9]{1,12}(?:[.,][0-9]{1,6})?)(?:ms)?"
    r" +max= *([0-9]{1,12}(?:[.,][0-9]{1,6})?)",
    re.ASCII,
)


def stat_line(line: Line) -> Stat | None:
    """Read `  decode_TPS     mean=… std=… CV=…% min=… max=…`; None for another line."""
    name, mean, rest = line.text.partition("mean=")
    found = _STAT.match(rest) if mean else None
    if not found:
        return None
    figures = [_float(text) for text in found.groups()]
    middle, std, cv, low, high = figures
    if middle is None or std is None or low is None or high is None:
        return None
    return Stat(" ".join(name.split()), line.number, middle, std, cv, low, high)

"""The timing lines that llama.cpp's programs print: server slots, llama_perf, llama-cli."""

import re
import statistics
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ingest.readers.item import Clue, Item, Seen, number
from ingest.readers.text import Line

Phase = Literal["prefill", "decode"]

_N = r"([0-9]{1,12}(?:[.,][0-9]{1,6})?)"
_EVAL = re.compile(
    rf"(prompt |generation )?eval time += *{_N} ms / *([0-9]{{1,9}}) (?:tokens|runs) *"
    rf"\( *{_N} ms per token, *{_N} tokens per second\)",
    re.ASCII,
)
_LOAD = re.compile(rf"load time += *{_N} ms", re.ASCII)
_CLI = re.compile(rf"\[ ?Prompt: *{_N} t/s *\| *Generation: *{_N} t/s ?\]", re.ASCII)
_PROGRESS = re.compile(rf"n_(?:decoded|gen) = *([0-9]{{1,9}}), tg = *{_N} t/s", re.ASCII)
_TASK = re.compile(r"task (-?[0-9]{1,9})\b", re.ASCII)


class Timing(NamedTuple):
    """One rate: how many tokens it is over, of which program and which request."""

    line: int
    phase: Phase
    tokens: int | None
    rate: float
    protocol: str
    fork: bool = False


class Times(NamedTuple):
    """Everything that some lines say of time."""

    timings: tuple[Timing, ...]
    progress: tuple[Timing, ...]
    load_s: tuple[tuple[int, float], ...]


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def times_of(lines: Iterable[Line]) -> Times:
    """Read every timing line; of a request's running rates only the last."""
    timings: list[Timing] = []
    progress: dict[str, Timing] = {}
    loads: list[tuple[int, float]] = []
    for line in lines:
        text = line.text
        if "eval time" in text:
            timings += _eval(line)
        elif "load time" in text and (load := _LOAD.search(text)):
            loads.append((line.number, _float(load[1]) / 1000))
        elif "Generation:" in text and (cli := _CLI.search(text[:300])):
            timings.append(Timing(line.number, "prefill", None, _float(cli[1]), "llama-cli"))
            timings.append(Timing(line.number, "decode", None, _float(cli[2]), "llama-cli"))
        elif ", tg = " in text and (running := _PROGRESS.search(text[:300])):
            task = _TASK.search(text[:200])
            progress[task[1] if task else ""] = Timing(
                line.number, "decode", int(running[1]), _float(running[2]), "server-progress"
            )
    return Times(tuple(timings), tuple(progress.values()), tuple(loads))


def _eval(line: Line) -> Iterator[Timing]:
    """Read one `eval time` line; a rate of `inf` or `-nan` is none."""
    found = _EVAL.search(line.text[:600])
    if not found:
        return
    phase: Phase = "prefill" if found[1] == "prompt " else "decode"
    perf = "llama_perf" in line.text or "llama_print_timings" in line.text
    tokens, rate = int(found[3]), _float(found[5])
    fork = "print_timings]" in line.text
    if rate > 0:
        protocol = "llama-cli" if perf else "server-timings"
        yield Timing(line.number, phase, tokens, rate, protocol, fork)


MIN_TOKENS = 32
"""As the report's own floor: a shorter completion is a probe, not a rate."""


def timing_items(times: Times) -> Iterator[Item]:
    """Sum up the timings of one log: the median decode rate, the rate of the longest prompt."""
    yield from (Seen(one.line) for one in (*times.timings, *times.progress))
    if any(one.fork for one in times.timings):
        yield Clue("engine_line", "ik_llama.cpp", times.timings[0].line)
    for protocol in ("server-timings", "llama-cli"):
        chosen = [one for one in times.timings if one.protocol == protocol]
        yield from _decode([one for one in chosen if one.phase == "decode"])
        yield from _prefill([one for one in chosen if one.phase == "prefill"])
    if not any(one.phase == "decode" for one in times.timings):
        yield from _decode(list(times.progress))
    for line, seconds in times.load_s[-1:]:
        yield Seen(line)
        yield number(line, "load_time", seconds, "llama-cli", statistic="single")


def _decode(timings: list[Timing]) -> Iterator[Item]:
    long = [one for one in timings if one.tokens is None or one.tokens >= MIN_TOKENS] or timings
    if not long:
        return
    middle = statistics.median_low(sorted(one.rate for one in long))
    at = next(one for one in long if one.rate == middle)
    single = len(long) == 1
    yield number(
        at.line, "decode", middle, at.protocol, statistic="single" if single else "median",
        n=len(long), low=None if single else min(one.rate for one in long),
        high=None if single else max(one.rate for one in long),
    )  # fmt: skip


def _prefill(timings: list[Timing]) -> Iterator[Item]:
    """A short suffix on a warm cache is no prefill rate: the longest prompt is the best one."""
    if timings:
        longest = max(timings, key=lambda one: one.tokens or 0)
        yield number(
            longest.line, "prefill", longest.rate, longest.protocol, n=1,
            prompt_tokens=longest.tokens, statistic="single",
        )  # fmt: skip

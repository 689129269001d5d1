"""Lines of an engine's log on speculative decoding: llama.cpp, vLLM, SGLang."""

import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ingest.readers.item import Clue, Item, number
from ingest.readers.pattern import decimal
from ingest.readers.text import Line


class Drafted(NamedTuple):
    """One line: tokens a pass, accepted and drafted tokens, as far as it says."""

    line: int
    tokens_per_pass: float | None
    accepted: int | None
    drafted: int | None
    rate: float | None
    protocol: str


_LLAMA = re.compile(
    r".{0,80}?draft acceptance(?: rate)? = ([01](?:[.,][0-9]{1,6})?) \( *([0-9]{1,9}) accepted /"
    r" *([0-9]{1,9}) generated\)(?:, mean len = *([0-9]{1,3}(?:[.,][0-9]{1,4})?))?",
    re.ASCII,
)
_VLLM = re.compile(r"Mean acceptance length: ([0-9]{1,3}(?:\.[0-9]{1,4})?)", re.ASCII)
_VLLM_RATE = re.compile(r"Avg Draft acceptance rate: ([0-9]{1,3}(?:\.[0-9]{1,4})?)%", re.ASCII)
_VLLM_COUNTS = re.compile(r"Accepted: ([0-9]{1,9}) tokens, Drafted: ([0-9]{1,9}) tokens", re.ASCII)
_SGLANG = re.compile(
    r"accept len: ([0-9]{1,3}(?:\.[0-9]{1,4})?)(?:, accept rate: ([01](?:\.[0-9]{1,4})?))?",
    re.ASCII,
)


def drafted_line(line: Line) -> Drafted | None:
    """Read one line of llama.cpp, vLLM or SGLang; None for another line."""
    text = line.text
    if "draft acceptance" in text:
        found = _LLAMA.match(text)
        if found:
            length = decimal(found[4]) if found[4] else None
            return Drafted(
                line.number,
                length,
                int(found[2]),
                int(found[3]),
                decimal(found[1]),
                "server-timings",
            )
    elif "SpecDecoding metrics: " in text:
        length_found, counts = _VLLM.search(text), _VLLM_COUNTS.search(text)
        rate = _VLLM_RATE.search(text)
        return Drafted(
            line.number,
            float(length_found[1]) if length_found else None,
            int(counts[1]) if counts else None,
            int(counts[2]) if counts else None,
            float(rate[1]) / 100 if rate else None,
            "vllm-log",
        )
    elif "accept len: " in text:
        sglang = _SGLANG.search(text)
        if sglang:
            rate_told = float(sglang[2]) if sglang[2] else None
            return Drafted(line.number, float(sglang[1]), None, None, rate_told, "other")
    return None


def numbers(drafted: Sequence[Drafted]) -> Iterator[Item]:
    """Sum up several lines: accepted over drafted by token, the median of tokens a pass."""
    if not drafted:
        return
    first = drafted[0]
    yield Clue("drafted", "yes", first.line)
    passes = {d.line: d.tokens_per_pass for d in drafted if (d.tokens_per_pass or 0) >= 1}
    lengths = [length for length in passes.values() if length]
    single = len(drafted) == 1
    if lengths:
        middle = statistics.median_low(lengths)
        line = next(line for line, length in passes.items() if length == middle)
        yield number(
            line, "tokens_per_pass", middle, first.protocol,
            n=len(lengths), statistic="single" if single else "median",
            low=min(lengths) if not single else None, high=max(lengths) if not single else None,
        )  # fmt: skip
    yield from _acceptance(drafted)


def _acceptance(drafted: Sequence[Drafted]) -> Iterator[Item]:
    """By token where counts are printed; else the middle one of the printed rates."""
    first, single = drafted[0], len(drafted) == 1
    counted = [d for d in drafted if d.accepted is not None and d.drafted]
    accepted, total = sum(d.accepted or 0 for d in counted), sum(d.drafted or 0 for d in counted)
    rates = [d.rate for d in drafted if d.rate is not None and d.rate <= 1]
    if total and accepted <= total:
        yield number(
            first.line, "acceptance", round(accepted / total, 6), first.protocol,
            n=len(counted), statistic="single" if single else "mean",
            how="reported" if single else "inferred",
        )  # fmt: skip
    elif rates and not total:
        yield number(
            first.line, "acceptance-mean", statistics.median_low(rates), first.protocol,
            n=len(rates), statistic="single" if single else "median",
        )  # fmt: skip


def drafted_lines(lines: Iterable[Line]) -> tuple[Drafted, ...]:
    """Collect every such line, one that was printed twice only once."""
    found: dict[str, Drafted] = {}
    for line in lines:
        one = drafted_line(line)
        if one:
            found.setdefault(line.text, one)
    return tuple(found.values())

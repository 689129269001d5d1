"""Single figures that people write with label and unit: `- Decode: 24.8 tok/s`, or as a row."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.readers.item import Fact, Item, Seen, number
from ingest.readers.llama.bench_rows import cells_of
from ingest.readers.text import Line
from ingest.readers.told_table import SHAPES, quantity_of

PROTOCOL = "anecdote"
_LABELLED = re.compile(
    r" {0,6}(?:- +)?\*{0,2}([A-Za-z][A-Za-z0-9 /@(),._-]{2,50}?)\*{0,2} ?: ?\*{0,2} *(.{1,80})"
)
_FIGURE = re.compile(
    r"[~≈]? ?\**([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,4})?|[0-9]{1,7}(?:\.[0-9]{1,4})?)\**"
    r"(?: ?(?:-|–|to) ?([0-9]{1,7}(?:\.[0-9]{1,4})?))?"
    r" ?(tok/s|t/s|tokens/s|tps|ms|s)\b\**(.{0,80})$",
    re.ASCII | re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:avg |average |mean |median )?(decode|generation|prefill|prompt|wall|ttft|tg|pp)\b"
)
_TEST = re.compile(r"(pp|tg)([0-9]{1,6})\b", re.ASCII)
"""A test of llama-bench, told by hand: `pp512: 310 t/s`."""

_DEEP = re.compile(r"([0-9]{1,4}) ?k\b", re.IGNORECASE)
_SECOND_FIGURE = re.compile(r"[0-9]", re.ASCII)


def pairs(lines: Iterable[Line]) -> Iterator[tuple[str, str, int]]:
    """List (label, value, line) of labelled lines and of rows with two cells."""
    for line in lines:
        if line.text.count("|") in (1, 2, 3) and "--" not in line.text:
            cells = cells_of(line.text)
            if len(cells) == 2:
                yield cells[0], cells[1], line.number
        elif ":" in line.text[:60]:
            found = _LABELLED.match(line.text)
            if found:
                yield found[1], found[2], line.number


def figure_items(lines: Iterable[Line]) -> Iterator[Item]:
    """Read the labels that name a quantity; a value with more figures behind it is left unread."""
    for label, value, line in pairs(lines):
        folded = _TEST.sub(r"\1 \2", label.casefold().strip(), count=1)
        found = _FIGURE.match(value.strip()) if _LABEL.match(folded) else None
        if not found or (found[4] and _SECOND_FIGURE.search(found[4])):
            continue
        unit = found[3].casefold()
        timed = unit in ("ms", "s")
        quantity = quantity_of(f"{folded} {'' if timed else 'tok/s'}")
        if quantity and (quantity == "ttft") is timed:
            yield from _number(quantity, found, folded, line)


_VERSUS = re.compile(
    r" {0,6}([A-Za-z][A-Za-z0-9 @]{2,40}?) {2,40}(\S.{2,80}?) +vs\.? +(\S.{2,80}?\))", re.ASCII
)
_SIDE = re.compile(
    r"([~≈]?)([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,4})?|[0-9]{1,7}(?:\.[0-9]{1,4})?)"
    r" *\(([^)]{1,40})\)$",
    re.ASCII,
)


def versus_items(lines: Iterable[Line]) -> Iterator[Item]:
    """Read `label  A (elsewhere)  vs  B (here)`: only the side that is said to be here."""
    for line in lines:
        found = _VERSUS.match(line.text[:250]) if " vs" in line.text else None
        sides = [_SIDE.match(side) for side in found.groups()[1:]] if found else []
        here = [side for side in sides if side and re.search(r"\bhere\b", side[3])]
        label = found[1].casefold() if found else ""
        quantity = quantity_of(f"{label} tok/s")
        if len(sides) == 2 and len(here) == 1 and quantity in ("decode", "prefill"):
            yield from _here(line.number, quantity, label, here[0])


def _here(line: int, quantity: str, label: str, side: "re.Match[str]") -> Iterator[Item]:
    yield Seen(line)
    statistic = "approx" if side[1] else "single"
    value = float(side[2].replace(",", ""))
    yield number(line, quantity, value, PROTOCOL, statistic=statistic, **_where(label))
    if re.search(r"\bSPEC=off\b", side[3]):
        yield Fact("launch.drafter", {"kind": "none"}, line)


def _number(quantity: str, found: "re.Match[str]", label: str, line: int) -> Iterator[Item]:
    """Write down one figure, or a range as a range."""
    scale = 1000 if found[3].casefold() == "s" else 1
    figure = float(found[1].replace(",", "")) * scale
    high = float(found[2].replace(",", "")) * scale if found[2] else None
    if figure <= 0 or (high is not None and high < figure):
        return
    where = _where(label)
    yield Seen(line)
    if high is None:
        statistic = "approx" if found[0][0] in "~≈" else "single"
        yield number(line, quantity, figure, PROTOCOL, statistic=statistic, **where)
    else:
        spread = {"low": figure, "high": high, "statistic": "range"}
        yield number(line, quantity, None, PROTOCOL, **spread, **where)


def _where(label: str) -> dict[str, Any]:
    deep, prompt = _DEEP.search(label), re.match(r"pp ([0-9]{1,6})\b", label, re.ASCII)
    return {
        "workload": next((shape for shape in SHAPES if re.search(rf"\b{shape}\b", label)), None),
        "nominal_tokens": int(deep[1]) * 1000 if deep else None,
        "prompt_tokens": int(prompt[1]) or None if prompt else None,
    }

"""The `eval rate` lines of KTransformers' chat and of `ollama run --verbose`."""

import re
from collections.abc import Iterator, Sequence

from ingest.readers.item import Clue, Item, Seen, number
from ingest.readers.part import Part
from ingest.readers.pattern import decimal
from ingest.readers.text import Line

FORMAT = "eval-rate"
PROTOCOL = "ktransformers-chat"
_LINE = re.compile(
    r" *(prompt eval|eval|total|load) (count|duration|rate): +([0-9]{1,9}(?:[.,][0-9]{1,9})?)"
    r" *([a-zµ/()]{0,12})",
    re.ASCII,
)
_IN_SECONDS = {"s": 1.0, "ms": 1e-3, "m": 60.0}


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether an `eval rate:` line is there."""
    return any("eval rate:" in line.text and _LINE.match(line.text) for line in lines)


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read the answers; of several the first is taken and the others are told."""
    items: list[Item] = []
    prompt_tokens: int | None = None
    for line in lines:
        found = _LINE.match(line.text)
        if not found:
            continue
        items.append(Seen(line.number))
        what, value = f"{found[1]} {found[2]}", decimal(found[3])
        if what == "prompt eval count":
            prompt_tokens = int(value)
        elif what == "eval rate" and value > 0:
            items.append(number(line.number, "decode", value, PROTOCOL, statistic="single"))
        elif what == "prompt eval rate" and value > 0:
            items.append(
                number(
                    line.number, "prefill", value, PROTOCOL, statistic="single",
                    prompt_tokens=prompt_tokens,
                )
            )  # fmt: skip
        elif what == "load duration" and found[4] in _IN_SECONDS:
            seconds = value * _IN_SECONDS[found[4]]
            items.append(number(line.number, "load_time", seconds, PROTOCOL, statistic="single"))
    items += _engine(lines)
    yield Part(FORMAT, lines[0].number, lines[-1].number, (), (tuple(items),))


# What only one of the two prints, or what a person says; the first that is there.
_ENGINES = (
    ("ollama", re.compile(r"(?:total|load) duration: |.{0,200}\bollama\b", re.IGNORECASE)),
    ("ktransformers", re.compile(r"prompt eval count: |.{0,200}\bktransformers\b", re.IGNORECASE)),
)


def _engine(lines: Sequence[Line]) -> Iterator[Item]:
    """Tell the engine: both print rates alike, but only ollama how long loading took."""
    for name, regex in _ENGINES:
        if any(regex.match(line.text) for line in lines):
            yield Clue("engine_line", name, lines[0].number)
            return

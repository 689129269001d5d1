"""Grammars as data: a table of line patterns and what each one says.

Patterns are anchored at the start of the line (`re.match`) and never hold two open-ended
repetitions over the same characters, so that a line costs time linear in its length.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ingest.readers.item import Fact, Item, Seen
from ingest.readers.text import Line

Made = Callable[["re.Match[str]", int], Iterable[Item]]

NUMBER = r"[0-9][0-9,]{0,14}(?:\.[0-9]{1,9})?"
"""A figure with thousands commas."""


class Pattern(NamedTuple):
    """A line's shape and what it says."""

    regex: "re.Pattern[str]"
    made: Made


def pattern(regex: str, made: Made | None = None) -> Pattern:
    """Compile one row of a grammar; without `made` the line is understood and says nothing."""
    return Pattern(re.compile(regex, re.ASCII), made or _nothing)


def _nothing(_: "re.Match[str]", __: int) -> Iterable[Item]:
    return ()


def scan(lines: Iterable[Line], grammar: Sequence[Pattern]) -> Iterator[Item]:
    """Read every line by the first pattern that fits it; the others stay unread."""
    for line in lines:
        if not line.text:
            continue
        for regex, made in grammar:
            found = regex.match(line.text)
            if found:
                yield Seen(line.number)
                yield from made(found, line.number)
                break


Bullet = Callable[[str, int], Iterable[Item]]


def bullets(lines: Iterable[Line], grammar: dict[str, Bullet]) -> Iterator[Item]:
    """Read `- **Label:** value` lines by their label; unknown labels stay unread."""
    for line in lines:
        label, colon, value = line.text.partition(":")
        if not colon or not label.lstrip().startswith("- "):
            continue
        name = label.strip(" -*").casefold()
        read = grammar.get(name)
        if read:
            yield Seen(line.number)
            yield from read(value.strip(" *"), line.number)


def text_fact(at: str, rank: int = 0) -> Bullet:
    """Read a bullet whose whole value is the field."""

    def read(value: str, line: int) -> Iterable[Item]:
        if value:
            yield Fact(at, value, line, rank)

    return read


def said_nothing(_: str, __: int) -> Iterable[Item]:
    """Understand a bullet that fills no field."""
    return ()


def figure(text: str) -> float:
    """Read a figure that may have thousands commas: `1,234.5` → 1234.5."""
    return float(text.replace(",", ""))


def whole(text: str) -> int:
    """Read a whole figure that may have thousands commas: `204,800` → 204800."""
    return int(text.replace(",", ""))


def decimal(text: str) -> float:
    """Read a figure of a recognised line, where a comma is a decimal point: `155,51` → 155.51."""
    return float(text.replace(",", "."))

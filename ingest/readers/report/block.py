"""Cut a report into named blocks, by its headings and sentinels and never by its fences.

Fences are lost, nested or closed early in most pastes. A block's name is its heading in lower case;
the lines of the stages' own prefixes (`[soak]`, `[bench]`) go to the block of that stage wherever
they stand, since a paste may start in the middle.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ingest.readers.text import Line

HEADER = "# club-3090 rig report"


class Block(NamedTuple):
    """One part of a report: the section it stands in, its own name, its lines, first one incl."""

    section: str
    name: str
    lines: tuple[Line, ...]


# Headings that stand inside the soak section and belong to its summary.
_SOAK_HEADINGS = ("recommendation", "warnings", "failures", "first request errors")
_RULER = re.compile(r" {0,4}={8,12} (.{1,150}?) ?={8,12} *$")
_PART = re.compile(r" {0,4}=== (.{1,80}?) ?=== *$")
_HEADING = re.compile(r"(#{1,3}) +(.{1,200})$")
_PREFIXES = ("[soak]", "[bench]", "[autodetect]", "[quality-test]")


def blocks_of(lines: Iterable[Line]) -> tuple[Block, ...]:
    """Cut `lines` into blocks; together they hold every line once."""
    section, name = "", ""
    current: list[Line] = []
    found: list[Block] = []
    prefixed: dict[str, list[Line]] = {}
    for line in lines:
        if line.text[:1] == "[" and line.text.startswith(_PREFIXES):
            prefixed.setdefault(line.text.partition("]")[0] + "]", []).append(line)
            continue
        start = _start(line.text, section)
        if start:
            found.append(Block(section, name, tuple(current)))
            current = []
            section, name = start
        current.append(line)
    found.append(Block(section, name, tuple(current)))
    found += [Block(prefix, prefix, tuple(kept)) for prefix, kept in prefixed.items()]
    return tuple(block for block in found if block.lines)


def _start(text: str, section: str) -> tuple[str, str] | None:
    """Tell which section and block a line starts; None for a line that starts nothing."""
    first = text.lstrip(" ")[:1]
    if first == "#":
        return _heading(text.strip(), section)
    if first == "=":
        found = _RULER.match(text) or _PART.match(text)
        if found:
            return section, found[1].casefold()
    return None


def _heading(text: str, section: str) -> tuple[str, str] | None:
    found = _HEADING.match(text)
    if not found:
        return None
    level, title = len(found[1]), found[2].strip().casefold()
    if level == 3:
        return section, title
    if title in _SOAK_HEADINGS or title == "soak test summary":
        return "soak summary", title
    return title, title


def named(blocks: Iterable[Block], *prefixes: str) -> Iterator[Block]:
    """Pick the blocks whose name starts with one of `prefixes`."""
    return (block for block in blocks if block.name.startswith(prefixes))


def section_or_loose(blocks: Sequence[Block], name: str) -> Sequence[Line]:
    """List the lines of a section; those outside of every section where its heading was lost."""
    own = lines_in(block for block in blocks if block.section == name)
    return own or lines_in(block for block in blocks if not block.section)


def lines_in(blocks: Iterable[Block]) -> Sequence[Line]:
    """List the lines of several blocks."""
    return [line for block in blocks for line in block.lines]

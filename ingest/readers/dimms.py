"""Memory modules as dmidecode and lshw list them → size, kind, rate, slots, channels."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.readers.item import Fact, Item, Seen
from ingest.readers.text import Line


class Slot(NamedTuple):
    """One slot: its line, its module's size in GiB (0 = empty) and what is said of it."""

    line: int
    gib: float
    fields: dict[str, str]
    lines: tuple[int, ...]


_FIELD = re.compile(r" *([A-Z][A-Za-z ]{2,40}): (.{1,100})$", re.ASCII)
_SIZE = re.compile(r"([0-9]{1,7}) ?(GB|GiB|MB|MiB|TB)", re.ASCII)
_IN_GIB = {"GB": 1.0, "GiB": 1.0, "MB": 1 / 1024, "MiB": 1 / 1024, "TB": 1024.0}
_RATE = re.compile(r"([0-9]{3,5}) ?(?:MT/s|MHz)", re.ASCII)
_BANK = re.compile(r" *\*-bank(?::[0-9]{1,3})?")
_LSHW = re.compile(r" {4,40}(description|slot|size|clock): (.{1,120})$")
_KIND = re.compile(r"\b(LPDDR5X?|DDR[345])\b")
_CHANNEL = re.compile(
    r"(?:(?:P|CPU|NODE|Node|_Node)_? ?([0-9])[ _]?)?.{0,6}?"
    r"(?:CHANNEL|Channel)[ _]?([A-L]|[0-9]{1,2})",
    re.ASCII,
)


def dimm_facts(lines: Sequence[Line]) -> Iterator[Item]:
    """Read the modules; a channel is no field, so it is inferred from the locators."""
    slots = [*_dmidecode(lines), *_lshw(lines)]
    filled = [slot for slot in slots if slot.gib]
    yield from (Seen(line) for slot in slots for line in slot.lines)
    if not filled:
        return
    first = filled[0].line
    yield Fact("rig.memory.gib", sum(slot.gib for slot in filled), first, 1)
    sizes = Counter(slot.gib for slot in filled)
    yield Fact("rig.memory.dimms", " + ".join(f"{n}x{gib:g}GB" for gib, n in sizes.items()), first)
    for slot in filled:
        kind = _KIND.search(slot.fields.get("Type", ""))
        if kind:
            yield Fact("rig.memory.kind", kind[1], slot.line, 1)
            break
    yield from _rate(filled)
    yield from _channels(slots)


def _rate(filled: Sequence[Slot]) -> Iterator[Item]:
    """The configured rate; where only the rated one is printed it is inferred."""
    for name, sure in (("Configured", True), ("Speed", False)):
        rates = [
            (slot.line, int(found[1]))
            for slot in filled
            if (found := _RATE.search(slot.fields.get(name, "")))
        ]
        if rates:
            line, mts = min(rates, key=lambda pair: pair[1])
            note = None if sure else "the modules' rated speed"
            yield Fact("rig.memory.mts", mts, line, 0, "reported" if sure else "inferred", note)
            return


def _channels(slots: Sequence[Slot]) -> Iterator[Item]:
    named = []
    for slot in slots:
        where = f"{slot.fields.get('Bank Locator', '')} {slot.fields.get('Locator', '')}"
        found = _CHANNEL.search(where)
        if not found:
            return
        named.append(((found[1], found[2]), slot))
    every = {name for name, _ in named}
    used = {name for name, slot in named if slot.gib}
    note = "from the names of the slots"
    yield Fact("rig.memory.channels_total", len(every), slots[0].line, 1, "inferred", note)
    yield Fact("rig.memory.channels_populated", len(used), slots[0].line, 1, "inferred", note)


class _Open(NamedTuple):
    """A slot whose lines are still being read."""

    line: int
    fields: dict[str, str]
    lines: list[int]


def _closed(one: _Open) -> Slot:
    found = _SIZE.match(one.fields.get("Size", ""))
    gib = int(found[1]) * _IN_GIB[found[2]] if found else 0.0
    return Slot(one.line, gib, one.fields, tuple(one.lines))


def _dmidecode(lines: Sequence[Line]) -> Iterator[Slot]:
    current: _Open | None = None
    for line in lines:
        text = line.text.strip()
        if text == "Memory Device" or text.startswith("Handle 0x"):
            if current:
                yield _closed(current)
            current = _Open(line.number, {}, [line.number]) if text[0] == "M" else None
        elif current and (found := _FIELD.match(line.text)):
            current.lines.append(line.number)
            configured = found[1] in ("Configured Memory Speed", "Configured Clock Speed")
            current.fields.setdefault("Configured" if configured else found[1], found[2])
    if current:
        yield _closed(current)


_LSHW_NAMES = {"description": "Type", "slot": "Locator", "size": "Size", "clock": "Speed"}


def _lshw(lines: Sequence[Line]) -> Iterator[Slot]:
    current: _Open | None = None
    for line in lines:
        if _BANK.match(line.text):
            if current:
                yield _closed(current)
            current = _Open(line.number, {}, [line.number])
        elif current and (found := _LSHW.match(line.text)):
            current.lines.append(line.number)
            current.fields.setdefault(_LSHW_NAMES[found[1]], found[2])
    if current:
        yield _closed(current)

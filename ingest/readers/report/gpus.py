"""`## GPU hardware`: cards with memory, power limits, links; links under load from the capture."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.item import Fact, Item
from ingest.readers.pattern import decimal, pattern, scan
from ingest.readers.report.block import Block, lines_in, named
from ingest.readers.text import Line, unwrapped

_CARD = re.compile(
    r" *- +\**GPU ([0-9]{1,3}):\** *([^|]{1,120})\|? *(?:([0-9]{3,7}) MiB)?", re.ASCII
)
_LIMIT = re.compile(r"limit=([0-9]{1,9}(?:[.,][0-9]{1,6})?) W", re.ASCII)
_DEFAULT = re.compile(r"(?:default=| of )([0-9]{1,9}(?:[.,][0-9]{1,6})?) W", re.ASCII)
_LINK = re.compile(
    r"x([0-9]{1,2}) lanes negotiated \(GPU max x([0-9]{1,2}), Gen up to ([0-9])\)", re.ASCII
)
_SUB = re.compile(r" *- +\**(Power|PCIe):\** *(.{1,400})")


def _card(found: re.Match[str], line: int) -> Iterator[Item]:
    at = f"rig.gpus.{int(found[1])}"
    yield Fact(f"{at}.name", found[2].strip(), line)
    if found[3]:
        yield Fact(f"{at}.vram_mib", int(found[3]), line)


def _power(at: str, text: str, line: int) -> Iterator[Item]:
    limit, default = _LIMIT.search(text), _DEFAULT.search(text)
    if limit and decimal(limit[1]) > 0:
        yield Fact(f"{at}.power_w", decimal(limit[1]), line)
    if default and decimal(default[1]) > 0:
        yield Fact(f"{at}.power_default_w", decimal(default[1]), line)


def _link(at: str, text: str, line: int) -> Iterator[Item]:
    found = _LINK.match(text)
    if found:
        yield Fact(f"{at}.link", f"x{found[1]} of x{found[2]}, up to gen{found[3]}", line, rank=1)


def _cards(lines: Iterable[Line]) -> Iterator[Item]:
    at: str | None = None
    for line in lines:
        card = _CARD.match(line.text)
        sub = _SUB.match(line.text)
        if card:
            at = f"rig.gpus.{int(card[1])}"
            yield from _card(card, line.number)
        elif sub and at:
            read = _power if sub[1] == "Power" else _link
            yield from read(at, sub[2], line.number)


_UNDER_LOAD = (
    pattern(
        r" *GPU([0-9]{1,3}) gen=([0-9])/([0-9]) width=([0-9]{1,2})/([0-9]{1,2})",
        lambda found, line: (
            [
                # Gen 1 is an idle card, not a slow link.
                Fact(f"rig.gpus.{int(found[1])}.link", f"gen{found[2]} x{found[4]}", line)
            ]
            if found[2] != "1"
            else []
        ),
    ),
)

NO_CARD = "_nvidia-smi not available"


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the cards of the box, whether or not a run used them."""
    lines = unwrapped(
        lines_in(block for block in blocks if block.section in ("gpu hardware", "cpu + ram", ""))
    )
    yield from _cards(lines)
    for line in lines:
        if line.text.startswith(NO_CARD):
            yield Fact("rig.gpus", {"kind": "none"}, line.number)
    yield from scan(lines_in(named(blocks, "capture: pcie")), _UNDER_LOAD)

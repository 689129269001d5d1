"""One report, log or table of a text: what it says of the rig, and of each run."""

from typing import NamedTuple

from ingest.readers.item import Item


class Part(NamedTuple):
    """Findings of one stretch of lines. `rig` is about the box, each of `runs` about one run.

    `covers` are the numbers of the lines that it was read from; `author` is the public handle of
    who wrote it, where the text says so.
    """

    format: str
    first: int
    last: int
    rig: tuple[Item, ...]
    runs: tuple[tuple[Item, ...], ...]
    describes_rig: bool = False
    author: str | None = None
    covers: frozenset[int] = frozenset()

"""One report, log or table of a text: what it says of the rig, and of each run."""

from typing import NamedTuple

from ingest.readers.item import Item


class Part(NamedTuple):
    """Findings of one stretch of lines. `rig` is about the box, each of `runs` about one run."""

    format: str
    first: int
    last: int
    rig: tuple[Item, ...]
    runs: tuple[tuple[Item, ...], ...]
    titles: tuple[str, ...] = ()
    describes_rig: bool = False

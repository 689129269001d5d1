"""The formats beside the rig report: each tells whether it fits, and reads lines into parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ingest.readers.llama import bench, server, sweep
from ingest.readers.part import Part
from ingest.readers.text import Line


class Format(NamedTuple):
    """A kind of text: its name for `--as`, whether some lines are of it, and how to read them."""

    name: str
    fits: Callable[[Sequence[Line]], bool]
    read: Callable[[Sequence[Line]], Iterable[Part]]


FORMATS: tuple[Format, ...] = (
    Format(bench.FORMAT, bench.fits, bench.read),
    Format(sweep.SWEEP, sweep.fits_sweep, sweep.read_sweep),
    Format(sweep.BATCHED, sweep.fits_batched, sweep.read_batched),
    Format(server.FORMAT, server.fits, server.read),
)

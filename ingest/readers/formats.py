"""The formats beside the rig report: each tells whether it fits, and reads lines into parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ingest.readers import (
    benchy,
    eval_rate,
    guidellm,
    hardware_text,
    quality,
    serving,
    told,
    vllm_log,
)
from ingest.readers.llama import bench, server, sweep
from ingest.readers.part import Part
from ingest.readers.text import Line


class Format(NamedTuple):
    """A kind of text: its name for `--as`, whether some lines are of it, and how to read them."""

    name: str
    fits: Callable[[Sequence[Line]], bool]
    read: Callable[[Sequence[Line]], Iterable[Part]]
    last: bool = False


FORMATS: tuple[Format, ...] = (
    Format(bench.FORMAT, bench.fits, bench.read),
    Format(sweep.SWEEP, sweep.fits_sweep, sweep.read_sweep),
    Format(sweep.BATCHED, sweep.fits_batched, sweep.read_batched),
    Format(server.FORMAT, server.fits, server.read),
    Format(serving.FORMAT, serving.fits, serving.read),
    Format(serving.LOG, serving.fits_log, vllm_log.read),
    Format(benchy.FORMAT, benchy.fits, benchy.read),
    Format(guidellm.GUIDELLM, guidellm.fits_guidellm, guidellm.read_guidellm),
    Format(guidellm.LOCALSCORE, guidellm.fits_localscore, guidellm.read_localscore),
    Format(eval_rate.FORMAT, eval_rate.fits, eval_rate.read),
    Format(quality.FORMAT, quality.fits, quality.read),
    Format(hardware_text.FORMAT, hardware_text.fits, hardware_text.read),
    Format(told.FORMAT, told.fits, told.read, last=True),
)

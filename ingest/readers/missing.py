"""What a bundle lacks to be of use, and what a person can add to the text to fill it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ingest.bundle import Bundle, Run


class Lack(NamedTuple):
    """One thing that may be missing: its place, when it is, and what to do."""

    place: str
    missing: Callable[[Bundle], bool]
    remedy: str


def _no(field: Callable[[Bundle], object]) -> Callable[[Bundle], bool]:
    return lambda bundle: field(bundle) is None


RIG = (
    Lack("rig.cpu.model", _no(lambda b: b.rig.cpu.model), "paste the output of `lscpu`"),
    Lack(
        "rig.memory.channels_populated",
        _no(lambda b: b.rig.memory.channels_populated),
        "paste the output of `sudo dmidecode -t memory`, or run the report with sudo",
    ),
    Lack(
        "rig.memory.bandwidth",
        lambda b: not b.rig.memory.bandwidth,
        "measure it (STREAM, MLC or the report's own probe) and paste the output",
    ),
    Lack("rig.gpus", _no(lambda b: b.rig.gpus), "paste the output of `nvidia-smi -L`"),
    Lack("runs", lambda b: not b.runs, "add figures: a bench, a table or a server log"),
)


def missing(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """List (place, what to do) of what is not there."""
    for lack in RIG:
        if lack.missing(bundle):
            yield lack.place, f"is not in the text; {lack.remedy}"
    for index, run in enumerate(bundle.runs):
        yield from ((f"runs[{index}].{at}", message) for at, message in _of_run(run))


def _of_run(run: Run) -> Iterator[tuple[str, str]]:
    if run.weights.model is None and run.measurements:
        spelled = f"{run.weights.spelled!r} is" if run.weights.spelled else "the model is"
        yield "weights.model", f"{spelled} not mapped; paste the launch line or the file's name"
    if run.measurements and run.engine.name is None:
        yield "engine.name", "is not in the text; name the engine and its build"

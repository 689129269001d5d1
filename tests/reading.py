"""Texts of the samples, and what tests ask of a reading."""

from collections.abc import Callable
from pathlib import Path

from ingest.bundle import Bundle, Measurement, Run
from ingest.readers.reading import Reading

REPORTS = Path(__file__).parent / "reports"
REPORT = (REPORTS / "rig-report.md").read_text()
Reader = Callable[[str], Reading]


def sample(name: str) -> str:
    """Take the text of a sample."""
    return (REPORTS / "samples" / name).read_text()


def runs_of(one: Reading) -> list[Run]:
    """List the runs of all bundles."""
    return [run for u in one.understood for run in u.bundle.runs]


def measured(one: Reading) -> list[Measurement]:
    """List every measurement."""
    return [m for run in runs_of(one) for m in run.measurements]


def quantities(one: Reading) -> list[str]:
    """List what was measured."""
    return [m.quantity for m in measured(one)]


def only(one: Reading) -> Bundle:
    """Take the one bundle."""
    assert len(one.understood) == 1, one.problems
    return one.understood[0].bundle


def numbers(bundle: Bundle, run: int = 0) -> dict[tuple[str, str | None, str], float | None]:
    """List the values of a run by quantity, workload and protocol."""
    return {(m.quantity, m.workload, m.protocol): m.value for m in bundle.runs[run].measurements}


def find(bundle: Bundle, quantity: str, workload: str | None = None) -> Measurement:
    """Take the one measurement of a quantity."""
    found = [
        m for m in bundle.runs[0].measurements if (m.quantity, m.workload) == (quantity, workload)
    ]
    assert len(found) == 1
    return found[0]

"""Texts of the samples, and what tests ask of a reading."""

from collections.abc import Callable
from pathlib import Path

from ingest.bundle import Measurement, Run
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

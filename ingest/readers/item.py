"""What a reader finds in a text: facts, numbers, clues, doubts, and lines it understood."""

from typing import Any, NamedTuple

from ingest.bundle import How
from ingest.problem import Severity


class Fact(NamedTuple):
    """One field. `at` is its dotted place: `rig.cpu.model`, or `launch.threads` of the run.

    Where several facts fill one field, the lowest `rank` wins, then the first.
    """

    at: str
    value: Any
    line: int
    rank: int = 0
    how: How = "reported"
    note: str | None = None


class Number(NamedTuple):
    """One measurement: the fields of `ingest.bundle.Measurement` but its unit and evidence."""

    line: int
    fields: dict[str, Any]


class Clue(NamedTuple):
    """A name that helps to tell what was served: its `kind` says how far to trust it."""

    kind: str
    value: str
    line: int


class Doubt(NamedTuple):
    """Something a person should know about a line."""

    line: int
    message: str
    severity: Severity = "flag"


class Seen(NamedTuple):
    """A line that was understood, whether or not it held a figure."""

    line: int


Item = Fact | Number | Clue | Doubt | Seen


def number(line: int, quantity: str, value: float | None, protocol: str, **fields: Any) -> Number:  # noqa: ANN401 - fields of a Measurement
    """Write down one measurement that was read at `line`; fields that are None are left out."""
    kept = {name: field for name, field in fields.items() if field is not None}
    return Number(line, {"quantity": quantity, "value": value, "protocol": protocol, **kept})

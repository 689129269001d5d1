"""One thing learned about the rig, and how: every way there is may fill a field, the best wins."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ingest.bundle import How


class Field(NamedTuple):
    """One field below `rig`: its dotted place, what it is, and how it was learned.

    `way` names the source of the value for a person (`sysfs cpu topology`, `EDAC`). Where several
    ways fill one field, the first in the list that is not inferred wins.
    """

    at: str
    value: Any
    how: How
    way: str


class Learned(NamedTuple):
    """What holds for each field, and what other ways said that differs."""

    fields: dict[str, Field]
    doubts: tuple[str, ...]


TOLERANCE = 0.02
"""Two ways agree on a figure within 2 %: sizes lose what the firmware and kernel keep."""


def settle(found: Iterable[Field]) -> Learned:
    """Choose one value a field; what another way says differently becomes a doubt."""
    kept: dict[str, Field] = {}
    doubts = []
    ordered = sorted(found, key=lambda field: field.how == "inferred")
    for field in ordered:
        if field.value is None or field.value == "":
            continue
        winner = kept.setdefault(field.at, field)
        if not _agree(winner.value, field.value):
            doubts.append(
                f"{field.at}: {winner.way} says {winner.value}, {field.way} says {field.value};"
                f" the first is kept"
            )
    return Learned(kept, tuple(doubts))


def _agree(one: object, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE * max(abs(one), abs(other))
    return one == other

"""Whether numbers may be set side by side: a comparison, or the fields that forbid it.

One function for the command line, the site and notebooks. Comparing what must not be compared is
worse than no comparison, so an override is explicit and marks what comes out of it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import duckdb

STRICT = (
    "quantity",
    "unit",
    "workload",
    "protocol",
    "sampling",
    "clock",
    "streams",
    "nominal_tokens",
    "context_tokens",
)
"""Fields that make a number what it is: unknown beside known is as bad as two values."""

TOLD = ("thinking", "bandwidth_method", "power_cap_w", "engine", "engine_generation")
"""Fields that few reports tell: two told values forbid, an untold one leaves a doubt."""

WITHIN = {"power_cap_w": "gpus"}
"""A field that forbids only among rows that are alike in another.

250 W beside 230 W on like cards is a cap; 575 W on another card is what that card is, a doubt.
"""

FIELDS = (*STRICT, *TOLD)

UNKNOWN = "unknown"


class Difference(NamedTuple):
    """A field that is not the same in all rows, and its values in the order of the rows."""

    field: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        """`protocol: club-canonical / greedy-completion`."""
        return f"{self.field}: {' / '.join(self.values)}"


class Comparison(NamedTuple):
    """Numbers that may stand side by side, each with its ratio to the first.

    A ratio to a first of zero is None.

    `doubts` are fields that only some rows tell; `overridden` those that differ and were let pass:
    whoever shows the comparison shows them with it.
    """

    ids: tuple[str, ...]
    values: tuple[float, ...]
    ratios: tuple[float | None, ...]
    unit: str
    doubts: tuple[Difference, ...] = ()
    overridden: tuple[Difference, ...] = ()

    @property
    def mark(self) -> str:
        """Say in one line what was let pass; empty when nothing was."""
        if not self.overridden:
            return ""
        return f"NOT LIKE FOR LIKE ({'; '.join(map(str, self.overridden))})"


class Refusal(NamedTuple):
    """Rows that must not be compared, and why: every field that differs."""

    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        """Say why, and what lets it pass all the same."""
        fields = ",".join(difference.field for difference in self.differences)
        listed = "; ".join(map(str, self.differences))
        return f"these numbers differ in {listed}; pass --anyway {fields} to compare all the same"


Row = Mapping[str, Any]


def compare(rows: Sequence[Row], anyway: Collection[str] = ()) -> Comparison | Refusal:
    """Compare `rows` (of the view `guarded`), or refuse with the fields that differ.

    `anyway` names the fields whose difference is let pass; the comparison is marked with them.
    """
    if len(rows) < 2:
        raise ValueError("a comparison needs two rows or more")
    differences = tuple(_differences(rows))
    forbidding = tuple(d for d in differences if _forbids(d, rows))
    doubts = tuple(d for d in differences if d not in forbidding)
    left = tuple(d for d in forbidding if d.field not in anyway)
    if left:
        return Refusal(left)
    values = tuple(float(row["central"]) for row in rows)
    return Comparison(
        ids=tuple(str(row["measurement_id"]) for row in rows),
        values=values,
        ratios=tuple(value / values[0] if values[0] else None for value in values),
        unit=str(rows[0]["unit"]),
        doubts=doubts,
        overridden=forbidding,
    )


def _forbids(difference: Difference, rows: Sequence[Row]) -> bool:
    if difference.field in STRICT:
        return True
    alike = WITHIN.get(difference.field)
    told: dict[str, set[str]] = {}
    for row, value in zip(rows, difference.values, strict=True):
        if value != UNKNOWN:
            told.setdefault(_shown(row.get(alike)) if alike else "", set()).add(value)
    return any(len(values) > 1 for values in told.values())


def _differences(rows: Sequence[Row]) -> Iterable[Difference]:
    for field in FIELDS:
        told = tuple(_shown(row.get(field)) for row in rows)
        if len(set(told)) > 1:
            yield Difference(field, told)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return UNKNOWN if value is None else str(value)


def guarded(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Read the rows of `ids`, in their order; raises KeyError for one that is not there."""
    relation = connection.execute(
        "FROM guarded WHERE measurement_id IN (SELECT unnest(?::VARCHAR[]))", [list(ids)]
    )
    names = [column[0] for column in relation.description or ()]
    rows = {row["measurement_id"]: row for row in
            (dict(zip(names, values, strict=True)) for values in relation.fetchall())}  # fmt: skip
    return [rows[one] for one in ids]

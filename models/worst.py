"""The rows that the model misses most, each with what in the record can explain the miss.

Explanations come from inputs and from the machine's other rows, by rule; they are candidates, not
proof. A row that none fits says so.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from models.estimator import Array
from models.rows import FitRow

WORST = 20

APART = 1.25
"""Figures of the same inputs on one machine are called apart from this ratio on."""

Rule = Callable[[FitRow, Sequence[FitRow]], str | None]


def worst(rows: Sequence[FitRow], log_ratio: Array) -> list[dict[str, Any]]:
    """List the rows with the largest errors (log predicted / measured), worst first."""
    order = np.argsort(-np.abs(log_ratio), kind="stable")[:WORST]
    return [
        {
            "measurement": rows[index].measurement_id,
            "rig": rows[index].rig,
            "variant": rows[index].variant,
            "stratum": rows[index].stratum,
            "measured": rows[index].tokens_per_s,
            "predicted": float(rows[index].tokens_per_s * np.exp(log_ratio[index])),
            "why": explained(rows[index], rows),
            "url": rows[index].url,
        }
        for index in order
    ]


def explained(row: FitRow, rows: Sequence[FitRow]) -> list[str]:
    """Give every explanation that fits a row."""
    found = [why for rule in RULES if (why := rule(row, rows))]
    return found or ["nothing in the record explains it"]


def _contradicted(row: FitRow, rows: Sequence[FitRow]) -> str | None:
    alike = [
        one.tokens_per_s
        for one in rows
        if (one.rig, one.variant, one.inputs) == (row.rig, row.variant, row.inputs)
    ]
    low, high = min(alike), max(alike)
    if high < APART * low:
        return None
    return f"the machine itself gave {low:.3g} to {high:.3g} with the same inputs"


def _other_protocols(row: FitRow, rows: Sequence[FitRow]) -> str | None:
    others = [
        one.tokens_per_s
        for one in rows
        if (one.rig, one.variant, one.inputs) == (row.rig, row.variant, row.inputs)
        and one.protocol != row.protocol
    ]
    if not others or max(others) < APART * row.tokens_per_s:
        return None
    return f"{max(others):.3g} by another protocol"


def _assumed(row: FitRow, _: Sequence[FitRow]) -> str | None:
    missing = []
    if row.drafter and row.accepted is None:
        missing.append("acceptance")
    if row.inputs.cache_on and row.hit_rate is None:
        missing.append("cache hits")
    return f"{' and '.join(missing)} assumed" if missing else None


def _bandwidth(row: FitRow, _: Sequence[FitRow]) -> str | None:
    return None if row.measured_bandwidth else "bandwidth from channels x MT/s, not measured"


def _sockets(row: FitRow, _: Sequence[FitRow]) -> str | None:
    return "several sockets: page placement not told" if row.inputs.sockets_log2 else None


def _cards(row: FitRow, rows: Sequence[FitRow]) -> str | None:
    x = row.inputs
    if not (x.gpus_beyond_two and x.cache_on):
        return None
    others = {one.rig for one in rows if one.inputs.gpus_beyond_two and one.inputs.cache_on}
    return "a cache over more than two cards: on no other machine" if len(others) == 1 else None


def _few_threads(row: FitRow, _: Sequence[FitRow]) -> str | None:
    x = row.inputs
    return (
        f"{x.busy_cores:.0f} of {row.cores:.0f} cores at work"
        if x.busy_cores * 4 <= row.cores
        else None
    )


def _alone(row: FitRow, rows: Sequence[FitRow]) -> str | None:
    others = {one.rig for one in rows if one.model == row.model} - {row.rig}
    return None if others else "the only machine with this model"


RULES: tuple[Rule, ...] = (
    _contradicted, _other_protocols, _assumed, _cards, _sockets, _few_threads, _bandwidth, _alone,
)  # fmt: skip

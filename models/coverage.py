"""Coverage of the intervals on machines left out, measured by nesting folds in folds."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models.conformal import brackets
from models.estimator import Array
from models.facts import Facts
from models.request import LEVELS
from models.rows import FitRow
from models.scores import Coverage, coverage
from models.setup import INTERVALS, STRATA, interval_of
from models.training import log_speeds, predicted, train

FOLDS = 6
"""Groups of machines, inside and outside."""


DEALS = 3
"""Ways of dealing the machines out: from one to the next, coverage of CPU-only moves by 0.15."""


def nested_coverage(rows: Sequence[FitRow], facts: Facts) -> dict[str, dict[str, Coverage]]:
    """Measure coverage by nesting: the brackets of a fold come from folds of the others alone.

    Averaged over several deals of the machines, as the deal is arbitrary.
    """
    dealt = [_nested(rows, facts, deal) for deal in range(DEALS)]
    left = np.concatenate([one.left for one in dealt])
    return {
        f"{level:g}": _coverage_by_stratum(
            list(rows) * DEALS, left, np.concatenate([one.brackets[level] for one in dealt])
        )
        for level in LEVELS
    }


class _Nested(NamedTuple):
    """Errors of every row, and the bracket that was made for it at each level."""

    left: Array
    brackets: dict[float, Array]


def _nested(rows: Sequence[FitRow], facts: Facts, deal: int) -> _Nested:
    left = np.zeros(len(rows))
    made = {level: np.zeros((len(rows), 2)) for level in LEVELS}
    for own in _folds(rows, deal):
        others = [row for index, row in enumerate(rows) if index not in set(own)]
        inner = np.zeros(len(others))
        for part in _folds(others, deal):
            inner[part] = _left(others, part, facts)
        left[own] = _left(rows, own, facts)
        found = brackets(inner, [row.rig for row in others], _classes(others), INTERVALS)
        classes = _classes([rows[index] for index in own])
        for level in LEVELS:
            made[level][own] = [found[name][f"{level:g}"] for name in classes]
    return _Nested(left, made)


def _classes(rows: Sequence[FitRow]) -> list[str]:
    return [interval_of(row.stratum, row.inputs) for row in rows]


def _left(rows: Sequence[FitRow], held: Sequence[int], facts: Facts) -> Array:
    """Give log (measured / predicted) of the `held` rows by a model of all the others."""
    rest = [row for index, row in enumerate(rows) if index not in set(held)]
    own = [rows[index] for index in held]
    left: Array = log_speeds(own) - predicted(train(rest, facts), own, facts)
    return left


def _coverage_by_stratum(rows: Sequence[FitRow], left: Array, edges: Array) -> dict[str, Coverage]:
    low, high = edges[:, 0], edges[:, 1]
    inside, width = (low <= left) & (left <= high), np.exp(high - low)
    strata, rigs = np.array([row.stratum for row in rows]), np.array([row.rig for row in rows])
    found = {"all": coverage(inside, width, rigs.tolist())}
    for stratum in STRATA:
        own = strata == stratum
        if own.any():
            found[stratum] = coverage(inside[own], width[own], rigs[own].tolist())
    return {name: one._replace(rows=one.rows // DEALS) for name, one in found.items()}


def _folds(rows: Sequence[FitRow], deal: int) -> list[list[int]]:
    """Deal the machines out to folds, stratum by stratum; list the rows of each fold."""
    rigs = sorted({(row.stratum, _shuffled(row.rig, deal), row.rig) for row in rows})
    order = list(dict.fromkeys(rig for _, _, rig in rigs))
    fold_of = {rig: place % FOLDS for place, rig in enumerate(order)}
    folds = [[i for i, row in enumerate(rows) if fold_of[row.rig] == fold] for fold in range(FOLDS)]
    return [fold for fold in folds if fold]


def _shuffled(rig: str, deal: int) -> str:
    """Give a machine its place in a deal: random, and the same everywhere."""
    return hashlib.sha256(f"{deal} {rig}".encode()).hexdigest()

"""Coverage of the intervals on machines left out, measured by nesting folds in folds."""

from collections.abc import Sequence

import numpy as np

from models.conformal import brackets
from models.estimator import Array
from models.facts import Facts
from models.request import LEVELS
from models.rows import FitRow
from models.scores import Coverage, coverage
from models.training import STRATA, log_speeds, predicted, train

FOLDS = 6
"""Groups of machines, inside and outside."""


def nested_coverage(rows: Sequence[FitRow], facts: Facts) -> dict[str, dict[str, Coverage]]:
    """Measure coverage by nesting: the brackets of a fold come from folds of the others alone."""
    low = {level: np.zeros(len(rows)) for level in LEVELS}
    high = {level: np.zeros(len(rows)) for level in LEVELS}
    left = np.zeros(len(rows))
    for own in _folds(rows):
        others = [row for index, row in enumerate(rows) if index not in set(own)]
        inner = np.zeros(len(others))
        for part in _folds(others):
            rest = [row for index, row in enumerate(others) if index not in set(part)]
            held = [others[index] for index in part]
            inner[part] = log_speeds(held) - predicted(train(rest, facts), held, facts)
        found = brackets(
            inner, [row.rig for row in others], [row.stratum for row in others], STRATA
        )
        held = [rows[index] for index in own]
        left[own] = log_speeds(held) - predicted(train(others, facts), held, facts)
        for level in LEVELS:
            both = np.array([found[row.stratum][f"{level:g}"] for row in held])
            low[level][own], high[level][own] = both[:, 0], both[:, 1]
    return {
        f"{level:g}": _coverage_by_stratum(rows, left, low[level], high[level]) for level in LEVELS
    }


def _coverage_by_stratum(
    rows: Sequence[FitRow], left: Array, low: Array, high: Array
) -> dict[str, Coverage]:
    inside, width = (low <= left) & (left <= high), np.exp(high - low)
    strata, rigs = np.array([row.stratum for row in rows]), np.array([row.rig for row in rows])
    found = {"all": coverage(inside, width, rigs.tolist())}
    for stratum in STRATA:
        own = strata == stratum
        if own.any():
            found[stratum] = coverage(inside[own], width[own], rigs[own].tolist())
    return found


def _folds(rows: Sequence[FitRow]) -> list[list[int]]:
    """Deal the machines, sorted by stratum and name, out to folds; list the rows of each."""
    rigs = sorted({(row.stratum, row.rig) for row in rows})
    order = list(dict.fromkeys(rig for _, rig in rigs))
    fold_of = {rig: place % FOLDS for place, rig in enumerate(order)}
    folds = [[i for i, row in enumerate(rows) if fold_of[row.rig] == fold] for fold in range(FOLDS)]
    return [fold for fold in folds if fold]

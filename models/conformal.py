"""Intervals from machines left out: grouped, asymmetric, in logs.

A machine is the unit: rows of one machine repeat its error, so each machine weighs 1 whatever its
number of rows, and the quantile is corrected for the number of machines, as split conformal
prediction does for rows. MAPIE has no quantiles weighted by group, hence this module.

How a stratum's scale is measured was chosen with the measured coverage in view: five ways were
tried, and `scale` is the one that held in every stratum (the method page's list of choices).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.estimator import Array
from models.request import LEVELS

DEFAULT_LEVEL = 0.8
"""The level that is printed by default: strata are scaled to be alike there."""

SHRINK_RIGS = 8
"""A stratum's own scale weighs n / (n + this), the pooled one the rest."""


def brackets(
    left: Array, rigs: Sequence[str], strata: Sequence[str], wanted: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Bracket log (measured / predicted) of rows on machines left out, by stratum and level.

    Each stratum has its own scale, shrunk towards the pooled one; in units of it all strata share
    their quantiles, so that a stratum of few machines borrows the tails of the rest.
    """
    names, own = np.array(rigs), np.array(strata)
    scales = {stratum: scale(left, names, own == stratum) for stratum in wanted}
    unit = np.array([scales.get(stratum, scale(left, names, own != "")) for stratum in strata])
    tails = {level: bracket(left / unit, names, level) for level in LEVELS}
    return {
        stratum: {
            f"{level:g}": [float(edge * scales[stratum]) for edge in tails[level]]
            for level in LEVELS
        }
        for stratum in wanted
    }


def scale(left: Array, rigs: Array, inside: NDArray[np.bool_]) -> float:
    """Measure the spread of a stratum at the default level, machines weighing 1."""
    pooled = _reach(left, rigs)
    if not inside.any():
        return pooled
    machines = len(set(rigs[inside].tolist()))
    share = machines / (machines + SHRINK_RIGS)
    return share * _reach(left[inside], rigs[inside]) + (1 - share) * pooled


def _reach(left: Array, rigs: Array) -> float:
    """Find the size that the default level of the errors does not exceed, machines weighing 1."""
    order, weight = _ranked(np.abs(left), rigs)
    wanted = DEFAULT_LEVEL * weight[-1]
    return float(np.abs(left)[order][np.searchsorted(weight, wanted)])


def _ranked(left: Array, rigs: Array) -> tuple[NDArray[np.intp], Array]:
    """Sort errors, and sum up the machines that they stand for: each row its share of one.

    Rounded: the sum of n times 1/n must be the whole machine.
    """
    _, place, counts = np.unique(rigs, return_inverse=True, return_counts=True)
    order = np.argsort(left, kind="stable")
    weight: Array = np.round(np.cumsum(1.0 / counts[place][order]), 9).astype(np.float64)
    return order, weight


def bracket(left: Array, rigs: Array, level: float) -> tuple[float, float]:
    """Give the two quantiles between which `level` of the machines' rows lie."""
    tail = (1 - level) / 2
    return weighted_quantile(left, rigs, tail), -weighted_quantile(-left, rigs, tail)


def weighted_quantile(left: Array, rigs: Array, tail: float) -> float:
    """Find the lower quantile at `tail`, each machine weighing 1, corrected for their number.

    With n machines the rank is tail · (n + 1) of n machines; below the first row, the lowest row.
    """
    order, weight = _ranked(left, rigs)
    rank = max(0.0, tail * (weight[-1] + 1) - 1)
    index = int(np.searchsorted(weight, rank, side="right"))
    return float(left[order][min(index, len(left) - 1)])

"""Intervals from machines left out: grouped, asymmetric, in logs.

A machine is the unit: rows of one machine repeat its error, so each machine weighs 1 whatever its
number of rows, and the quantile is corrected for the number of machines, as split conformal
prediction does for rows. MAPIE has no quantiles weighted by group, hence this module.

How scales are measured was chosen with the measured coverage in view (the method page's list of
choices): `scale` is what held in every stratum at the least width.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.estimator import Array
from models.pooling import CLIP
from models.request import LEVELS
from models.setup import SEVERAL_SOCKETS

SHRINK_RIGS = 8
"""A group's own scale weighs n / (n + this), the pooled one the rest."""

ASPECTS: tuple[Callable[[str], str], ...] = (
    lambda interval: interval.removesuffix(SEVERAL_SOCKETS),
    lambda interval: SEVERAL_SOCKETS if interval.endswith(SEVERAL_SOCKETS) else "",
)
"""What scales an interval: its stratum, and whether the machine has several sockets."""


def brackets(
    left: Array, rigs: Sequence[str], classes: Sequence[str], wanted: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Bracket log (measured / predicted) of rows on machines left out, by class and level.

    `classes` as `setup.interval_of` names them. Each aspect of a class scales by itself, so that
    drafted rows on two sockets, of which there are none, borrow from both sides; in units of the
    scale all share their quantiles, so that few machines borrow the tails of the rest.
    """
    names, unit = np.array(rigs), np.ones(len(left))
    clipped = np.clip(left, -CLIP, CLIP)
    scales = dict.fromkeys(wanted, 1.0)
    for aspect in ASPECTS:
        own = np.array([aspect(name) for name in classes])
        found = {
            group: scale(clipped / unit, names, own == group)
            for group in {*map(aspect, wanted), *own}
        }
        unit *= np.array([found[group] for group in own])
        scales = {name: scales[name] * found[aspect(name)] for name in wanted}
    tails = {level: bracket(left / unit, names, level) for level in LEVELS}
    return {
        name: {
            f"{level:g}": [float(edge * scales[name]) for edge in tails[level]] for level in LEVELS
        }
        for name in wanted
    }


def scale(left: Array, rigs: Array, inside: NDArray[np.bool_]) -> float:
    """Measure the spread of a group: the mean size of its errors, machines weighing 1.

    How long the tails are beyond that, all groups tell together.
    """
    pooled = _mean_size(left, rigs)
    if not inside.any():
        return pooled
    machines = len(set(rigs[inside].tolist()))
    share = machines / (machines + SHRINK_RIGS)
    return share * _mean_size(left[inside], rigs[inside]) + (1 - share) * pooled


def _mean_size(left: Array, rigs: Array) -> float:
    _, place, counts = np.unique(rigs, return_inverse=True, return_counts=True)
    return float(np.average(np.abs(left), weights=1.0 / counts[place]))


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

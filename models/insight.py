"""What the record says beyond errors: what moves decoding, how an own run helps, what order holds.

All of it from models that never saw the machine in question.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from models.components import components
from models.estimator import Array, DecodeTime, stacked
from models.facts import Facts
from models.own_run import Known, told
from models.rows import FitRow, with_defaults
from models.scores import score
from models.training import STRATA, Trained, log_speeds, predicted, priors_of, train

STEP = 0.01
"""Relative step of a slope."""

APART = 0.1
"""Two speeds count as different when they are more than this apart."""

SIZES = (5, 10, 20, 40)
"""Machines to train on, for the learning curve."""

DRAWS = 4
"""Draws of machines a size."""

LEVERS: dict[str, Callable[[Any, float], Any]] = {
    "bandwidth": lambda x, factor: x._replace(gbps=x.gbps * factor),
    "threads": lambda x, factor: x._replace(busy_cores=x.busy_cores * factor),
    "core speed": lambda x, factor: x._replace(core_speed=x.core_speed * factor),
    "accepted tokens": lambda x, factor: x._replace(
        tokens_per_pass=1 + (x.tokens_per_pass - 1) * factor
    ),
    "GPU bandwidth": lambda x, factor: x._replace(gpu_gbps=x.gpu_gbps * factor),
}
"""What may be turned up. Channels act through bandwidth: twice the channels is twice the rate."""


class Slope(NamedTuple):
    """Percent of decode speed per percent of an input: median row, and the middle 80 % of rows.

    `error` is the jackknife's standard error over machines left out.
    """

    median: float
    low: float
    high: float
    error: float


def slopes(
    rows: Sequence[FitRow], folds: Sequence[Trained], whole: Trained, facts: Facts
) -> dict[str, dict[str, Slope]]:
    """Say what each input moves, by stratum; `folds` are the models without one machine each."""
    strata = np.array([row.stratum for row in rows])
    found: dict[str, dict[str, Slope]] = {}
    for lever, turn in LEVERS.items():
        at = _slope(rows, whole, facts, turn)
        others = np.array([_slope(rows, fold, facts, turn) for fold in folds])
        found[lever] = {}
        for stratum in STRATA:
            own = strata == stratum
            if own.any() and np.any(at[own]):
                found[lever][stratum] = _summary(at[own], np.median(others[:, own], axis=1))
    return found


def _summary(at: Array, by_fold: Array) -> Slope:
    machines = len(by_fold)
    spread = float(np.sum((by_fold - by_fold.mean()) ** 2))
    return Slope(
        median=float(np.median(at)),
        low=float(np.quantile(at, 0.1)),
        high=float(np.quantile(at, 0.9)),
        error=((machines - 1) / machines * spread) ** 0.5,
    )


def _slope(
    rows: Sequence[FitRow], trained: Trained, facts: Facts, turn: Callable[[Any, float], Any]
) -> Array:
    x = stacked([with_defaults(row, trained.defaults).inputs for row in rows])
    model = DecodeTime(priors_of(facts))
    more = model.log_speed(turn(x, 1 + STEP), trained.parameters)
    slope: Array = (more - model.log_speed(x, trained.parameters)) / np.log1p(STEP)
    return slope


def own_run_gain(rows: Sequence[FitRow], left: Array) -> dict[str, dict[str, Any]]:
    """Score each row with and without one other run of its machine, by what that run was of.

    Machines weigh 1. The components come from all machines: five numbers, none of one machine.
    """
    shares = components(rows, left)
    kinds: dict[str, Callable[[FitRow, FitRow], bool]] = {
        "same model, other quant": lambda a, b: a.model == b.model and a.quant != b.quant,
        "other model": lambda a, b: a.model != b.model,
        "same variant": lambda a, b: a.variant == b.variant,
    }
    found = {}
    for kind, alike in kinds.items():
        before, after, rigs = [], [], []
        for a, b in _pairs(rows, alike):
            known = Known(rows[b].model, rows[b].quant, {})
            asked = Known(rows[a].model, rows[a].quant, {})
            before.append(-left[a])
            after.append(told(shares, asked, [(known, float(left[b]))]).shift - left[a])
            rigs.append(rows[a].rig)
        if rigs:
            found[kind] = {
                "without": score(np.array(before), rigs)._asdict(),
                "with": score(np.array(after), rigs)._asdict(),
            }
    return found


def _pairs(
    rows: Sequence[FitRow], alike: Callable[[FitRow, FitRow], bool]
) -> list[tuple[int, int]]:
    by_rig: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        by_rig.setdefault(row.rig, []).append(index)
    both = [pair for own in by_rig.values() for pair in combinations(own, 2)]
    return [pair for a, b in both if alike(rows[a], rows[b]) for pair in ((a, b), (b, a))]


def ordering(rows: Sequence[FitRow], logs: Array) -> dict[str, dict[str, float]]:
    """Say how often the faster of two configurations on one machine is predicted faster."""
    y = log_speeds(rows)
    right: dict[str, list[bool]] = {}
    for a, b in _pairs(rows, lambda a, b: a.stratum == b.stratum):
        if a < b and abs(y[a] - y[b]) > np.log1p(APART):
            right.setdefault(rows[a].stratum, []).append(
                bool((y[a] - y[b]) * (logs[a] - logs[b]) > 0)
            )
    return {
        stratum: {"pairs": len(found), "right": float(np.mean(found))}
        for stratum, found in sorted(right.items())
    }


def learning_curve(rows: Sequence[FitRow], facts: Facts) -> list[dict[str, float]]:
    """Train on a few machines, predict all others: median errors by number of machines."""
    rigs = sorted({row.rig for row in rows})
    draw = np.random.default_rng(0)
    found = []
    for size in (size for size in SIZES if size < len(rigs)):
        errors = []
        for _ in range(DRAWS):
            kept = set(draw.choice(rigs, size, replace=False).tolist())
            seen = [row for row in rows if row.rig in kept]
            unseen = [row for row in rows if row.rig not in kept]
            left = predicted(train(seen, facts), unseen, facts) - log_speeds(unseen)
            errors.append(score(left, [row.rig for row in unseen]))
        found.append(
            {
                "rigs": size,
                "median_ape": float(np.mean([error.median_ape for error in errors])),
                "p80_ape": float(np.mean([error.p80_ape for error in errors])),
            }
        )
    return found

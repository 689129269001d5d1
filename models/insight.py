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
from models.scores import score, score_by_rig
from models.setup import STRATA
from models.training import Trained, log_speeds, predicted, priors_of, train

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


OWN_RUNS: dict[str, Callable[[FitRow, FitRow], bool]] = {
    "same model, other quant": lambda a, b: a.model == b.model and a.quant != b.quant,
    "other model": lambda a, b: a.model != b.model,
    "same variant": lambda a, b: a.variant == b.variant,
}
"""What an own run may be of, against what is asked."""


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

    Machines weigh 1, and the components are those of the other machines.
    """
    rigs = np.array([row.rig for row in rows])
    shares = {
        rig: components([row for row in rows if row.rig != rig], left[rigs != rig])
        for rig in sorted(set(rigs.tolist()))
    }
    known = [Known(row.stratum, row.model, row.quant, {}) for row in rows]
    found = {}
    for kind, alike in OWN_RUNS.items():
        pairs = _pairs(rows, alike)
        shifts = [
            told(shares[rows[a].rig], known[a], [(known[b], left[b])]).shift for a, b in pairs
        ]
        if pairs:
            own = [a for a, _ in pairs]
            names = rigs[own].tolist()
            found[kind] = {
                "without": score_by_rig(-left[own], names)._asdict(),
                "with": score_by_rig(np.array(shifts) - left[own], names)._asdict(),
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
    """Say how often the faster of two configurations on one machine is predicted faster.

    Configurations differ in some input; the same one measured twice has no order. `right` compares
    figures of one protocol, as everywhere; `right_any` figures of different protocols too.
    """
    y = log_speeds(rows)
    found: dict[str, list[tuple[bool, bool]]] = {}
    for a, b in _pairs(rows, _two_configurations):
        if a < b and abs(y[a] - y[b]) > np.log1p(APART):
            right = bool((y[a] - y[b]) * (logs[a] - logs[b]) > 0)
            found.setdefault(rows[a].stratum, []).append(
                (rows[a].protocol == rows[b].protocol, right)
            )
    return {stratum: _order(pairs) for stratum, pairs in sorted(found.items())}


def _two_configurations(a: FitRow, b: FitRow) -> bool:
    return a.stratum == b.stratum and a.inputs != b.inputs


def _order(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    alike = [right for one_protocol, right in pairs if one_protocol]
    found = {"pairs_any": len(pairs), "right_any": float(np.mean([right for _, right in pairs]))}
    if alike:
        found |= {"pairs": len(alike), "right": float(np.mean(alike))}
    return found


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

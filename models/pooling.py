"""What the physics leaves over, pooled: effects of model and variant, shrunk towards none.

Rig and rig-by-model effects are estimated beside them, so that one machine's habits are not taken
for a model's. The best linear unbiased prediction of nested effects is a ridge regression on
indicator columns, each scaled by the spread of its effect.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

from models.estimator import NOISE, Array
from models.rows import FitRow

CLIP = 0.7
"""Residuals count up to a factor of two (log): one accident must not pass for a habit."""

DENSE_UP_TO = 2_000
"""Columns up to which the equations are solved exactly, in time that grows with their cube."""

CLOSE = 1e-8
"""How nearly they are solved beyond: effects are of the order of a hundredth."""

# level → (spread of its effect (log), what names it in a row). Spreads: trial on 439 public rows.
LEVELS: dict[str, tuple[float, Callable[[FitRow], str]]] = {
    "model": (0.10, lambda row: row.model),
    "variant": (0.07, lambda row: row.variant),
    "rig": (0.15, lambda row: row.rig),
    "rig-model": (0.08, lambda row: f"{row.rig} {row.model}"),
    "rig-variant": (0.05, lambda row: f"{row.rig} {row.variant}"),
}


def effects(rows: Sequence[FitRow], left: Array) -> dict[str, float]:
    """Pool the residuals `left` (log measured over predicted) into effects by model and variant."""
    places: dict[tuple[str, str], int] = {}
    entries = [
        (index, places.setdefault((level, name_of(row)), len(places)), spread)
        for level, (spread, name_of) in LEVELS.items()
        for index, row in _by_name(rows, name_of)
    ]
    at, column, scale = (np.array(part) for part in zip(*entries, strict=True))
    indicators = csr_array((scale, (at, column)), shape=(len(rows), len(places)))
    clipped = np.clip(left, -CLIP, CLIP)
    names = list(places)
    ridge = Ridge(alpha=NOISE**2, fit_intercept=False, solver="cholesky")
    if len(names) <= DENSE_UP_TO:
        ridge.fit(indicators.toarray(), clipped)
    else:
        ridge.set_params(solver="sparse_cg", tol=CLOSE).fit(indicators, clipped)
    return {
        name: float(weight * LEVELS[level][0])
        for (level, name), weight in zip(names, ridge.coef_, strict=True)
        if level in {"model", "variant"}
    }


def _by_name(rows: Sequence[FitRow], name_of: Callable[[FitRow], str]) -> list[tuple[int, FitRow]]:
    """Number the rows, in the order of their names: so the columns stand in order too."""
    return sorted(enumerate(rows), key=lambda one: name_of(one[1]))


def effect_of(found: dict[str, float], row: FitRow) -> float:
    """Look up what a row's model and variant add (log); nothing for those never seen."""
    return found.get(row.model, 0.0) + found.get(row.variant, 0.0)

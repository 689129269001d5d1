"""What the physics leaves over, pooled: effects of model and variant, shrunk towards none.

Rig and rig-by-model effects are estimated beside them, so that one machine's habits are not taken
for a model's. The best linear unbiased prediction of nested effects is a ridge regression on
indicator columns, each scaled by the spread of its effect.
"""

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.linear_model import Ridge

from models.estimator import NOISE, Array
from models.rows import FitRow

CLIP = 0.7
"""Residuals count up to a factor of two (log): one accident must not pass for a habit."""

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
    columns: list[Array] = []
    names: list[tuple[str, str]] = []
    for level, (spread, name_of) in LEVELS.items():
        own = np.array([name_of(row) for row in rows])
        for name in sorted(set(own)):
            columns.append(spread * (own == name))
            names.append((level, name))
    ridge = Ridge(alpha=NOISE**2, fit_intercept=False, solver="cholesky")
    ridge.fit(np.column_stack(columns), np.clip(left, -CLIP, CLIP))
    return {
        name: float(weight * LEVELS[level][0])
        for (level, name), weight in zip(names, ridge.coef_, strict=True)
        if level in {"model", "variant"}
    }


def effect_of(found: dict[str, float], row: FitRow) -> float:
    """Look up what a row's model and variant add (log); nothing for those never seen."""
    return found.get(row.model, 0.0) + found.get(row.variant, 0.0)

"""How errors hang together on one machine: what an own run tells of another configuration.

Estimated from the errors on machines left out: the mean product of two rows' errors on one machine,
by whether they share the variant, only the model, or neither.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from models.estimator import Array
from models.rows import FitRow

CLIP = 0.7
"""Errors count up to a factor of two (log): one accident must not pass for a habit."""

ROW_LEAST = 0.05
"""Least spread (log) of a row by itself: boots alone differ by 0.5 to 3 %, days by more."""


def components(rows: Sequence[FitRow], left: Array) -> dict[str, float]:
    """Give the shared variance (log²) of two configurations on one machine, and of one row.

    `variant`: same model and quant; `model`: same model, other quant; `rig`: other models;
    `row`: a row with itself. Each is at least the one before, as nesting demands.
    """
    clipped = np.clip(left, -CLIP, CLIP)
    rig = max(0.0, _shared(rows, clipped, lambda a, b: a.model != b.model))
    model = max(rig, _shared(rows, clipped, lambda a, b: a.model == b.model and a.quant != b.quant))
    variant = max(model, _shared(rows, clipped, lambda a, b: a.variant == b.variant))
    row = max(variant + ROW_LEAST**2, float(np.mean(clipped**2)))
    return {"rig": rig, "model": model, "variant": variant, "row": row}


def _shared(rows: Sequence[FitRow], left: Array, alike: Callable[[FitRow, FitRow], bool]) -> float:
    """Average the products of errors over pairs; a machine weighs the root of its pairs."""
    by_rig: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        by_rig.setdefault(row.rig, []).append(index)
    total = weights = 0.0
    for own in by_rig.values():
        products = [left[a] * left[b] for a, b in combinations(own, 2) if alike(rows[a], rows[b])]
        if products:
            weight = len(products) ** 0.5
            total += weight * float(np.mean(products))
            weights += weight
    return total / weights if weights else 0.0

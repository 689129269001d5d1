"""How errors hang together on one machine: what an own run tells of another configuration.

Estimated from the errors on machines left out: the mean product of two rows' errors on one machine,
by whether they share the variant, only the model, or neither. Only rows of one stratum share more
than the machine: with a drafter or cache, plainly offloaded and on the CPU alone, one machine errs
in ways of its own, and what one shows of another is worth nothing in the record.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from models.estimator import Array
from models.pooling import CLIP
from models.rows import FitRow

ROW_LEAST = 0.05
"""Least spread (log) of a row by itself: boots alone differ by 0.5 to 3 %, days by more."""


Alike = Callable[[FitRow, FitRow], bool]

LEVELS: dict[str, Alike] = {
    "rig": lambda a, b: a.model != b.model,
    "model": lambda a, b: a.model == b.model and a.quant != b.quant,
    "variant": lambda a, b: a.variant == b.variant,
}
"""What two configurations of one stratum have in common, from least to most."""


def components(rows: Sequence[FitRow], left: Array) -> dict[str, float]:
    """Give the shared variance (log²) of two configurations on one machine, and of one row.

    `stratum`: of different strata; the rest of the same one, namely `rig`: other models; `model`:
    same model, other quant; `variant`: same model and quant; `row`: a row with itself. Each is at
    least the one before, as nesting demands.
    """
    clipped = np.clip(left, -CLIP, CLIP)
    found = {"stratum": max(0.0, _shared(rows, clipped, lambda a, b: a.stratum != b.stratum))}
    least = found["stratum"]
    for level, alike in LEVELS.items():
        least = max(least, _shared(rows, clipped, _in_one_stratum(alike)))
        found[level] = least
    return {**found, "row": max(least + ROW_LEAST**2, float(np.mean(clipped**2)))}


def _in_one_stratum(alike: Alike) -> Alike:
    return lambda a, b: a.stratum == b.stratum and alike(a, b)


def _shared(rows: Sequence[FitRow], left: Array, alike: Alike) -> float:
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

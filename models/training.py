"""Everything that is learned from rows, in one call: used for the fit and for each fold alike."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models.assumptions import assumptions
from models.estimator import Array, DecodeTime, arrays, rig_weights, stacked
from models.facts import Facts
from models.parameters import Prior, gathered, priors
from models.pooling import effect_of, effects
from models.roofline import roofline_tokens_per_s
from models.rows import FitRow, with_defaults
from models.setup import STRATA


class Trained(NamedTuple):
    """What the rows taught. `roofline` holds the constant of the plain roofline by stratum."""

    defaults: Facts
    parameters: dict[str, float]
    effects: dict[str, float]
    roofline: dict[str, float]


def priors_of(facts: Facts) -> list[Prior]:
    """List the priors in the order that category indices rely on: by name."""
    return sorted(priors(facts["kernels"], facts["methods"]), key=lambda prior: prior.name)


def train(rows: Sequence[FitRow], facts: Facts) -> Trained:
    """Learn assumptions, parameters, effects and the roofline's constants from `rows`."""
    defaults = assumptions(rows)
    filled = [with_defaults(row, defaults) for row in rows]
    x, y = stacked([row.inputs for row in filled]), log_speeds(filled)
    model = DecodeTime(priors_of(facts)).fit(x, y, rig_weights([row.rig for row in filled]))
    return Trained(
        defaults=defaults,
        parameters=model.parameters_,
        effects=effects(filled, y - model.predict(x)),
        roofline=_roofline_constants(filled, facts, y),
    )


def log_speeds(rows: Sequence[FitRow]) -> Array:
    """Take the logs of the measured speeds."""
    return np.log([row.tokens_per_s for row in rows])


def predicted(trained: Trained, rows: Sequence[FitRow], facts: Facts) -> Array:
    """Predict log speeds of rows, as a prediction would: unknown inputs by the defaults."""
    filled = [with_defaults(row, trained.defaults) for row in rows]
    model = DecodeTime(priors_of(facts))
    speed = model.log_speed(stacked([row.inputs for row in filled]), trained.parameters)
    added = np.array([effect_of(trained.effects, row) for row in filled])
    total: Array = speed + added
    return total


def predicted_roofline(trained: Trained, rows: Sequence[FitRow], facts: Facts) -> Array:
    """Predict log speeds by the plain roofline, scaled by the constant of the stratum."""
    filled = [with_defaults(row, trained.defaults) for row in rows]
    constant = np.array([trained.roofline[row.stratum] for row in filled])
    speed: Array = np.log(constant) + _log_roofline(filled, facts)
    return speed


def _log_roofline(rows: Sequence[FitRow], facts: Facts) -> Array:
    fixed = arrays(gathered({prior.name: prior.value for prior in priors_of(facts)}))
    speed: Array = np.log(roofline_tokens_per_s(stacked([row.inputs for row in rows]), fixed))
    return speed


def _roofline_constants(rows: Sequence[FitRow], facts: Facts, y: Array) -> dict[str, float]:
    """Scale the roofline to the median of each stratum; 0.37 where the fold has no rows."""
    left = y - _log_roofline(rows, facts)
    found = {}
    for stratum in STRATA:
        own = np.array([row.stratum == stratum for row in rows])
        found[stratum] = float(np.exp(np.median(left[own]))) if own.any() else 0.37
    return found

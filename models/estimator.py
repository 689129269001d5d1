"""The physics as a scikit-learn estimator: maximum a posteriori in log speed.

Every step is a ridge regression on the linearised model, with the priors as the ridge: parameters
are logarithms in units of their prior's spread, so the penalty is the same for each.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted

from models.parameters import Parameters, Prior, gathered
from models.physics import Inputs, tokens_per_s

Array = NDArray[np.float64]

NOISE = 0.2
"""Spread (log) of a row around the physics, against which the priors' spreads weigh.

Boots, heat, days and builds alone make 0.05 to 0.25 on one machine. Chosen before the first fit.
0.25, 0.3 and 0.4 were tried after it: errors on machines left out are alike, but 0.25 and 0.3 let
the 80 % interval hold for .71 of the CPU-only machines only, below the .75 wanted, so it stayed.
"""

HUBER = 0.25
"""Residuals beyond this many `NOISE`, 5 %, count by size and not by square.

5 % is how well a machine repeats itself; beyond it the fit aims at the median, which is what is
printed, and accidents that no rule sees do not steer. 1.5, 1, 0.5 and 0.25 were tried; chosen by
folds inside five of six sets of training machines, 0.25 comes out (0.5 in the sixth).
"""

STEP = 1e-4
ITERATIONS = 40
SETTLED = 1e-10
"""Relative gain below which a step is the last: far below what is compared between machines."""


def stacked(rows: Sequence[Inputs]) -> Inputs:
    """Stack the inputs of many passes into one of arrays."""
    columns = {name: np.array([getattr(row, name) for row in rows]) for name in Inputs._fields}
    return Inputs(**columns)


class _Layout(NamedTuple):
    """The priors as arrays: where scalars, kernels and methods stand, and which of them matter."""

    value: Array
    sd: Array
    names: list[str]
    scalar: list[int]
    kernel: list[int]
    method: list[int]
    live: list[int]


def _layout(priors: Sequence[Prior], x: Inputs) -> _Layout:
    """Lay the priors out; a kernel or method that no row has keeps its prior."""
    scalar = [place for place, prior in enumerate(priors) if "." not in prior.name]
    kernel = [place for place, prior in enumerate(priors) if prior.name.startswith("kernel.")]
    method = [place for place, prior in enumerate(priors) if prior.name.startswith("method.")]
    return _Layout(
        value=np.array([prior.value for prior in priors]),
        sd=np.array([prior.sd for prior in priors]),
        names=[priors[place].name for place in scalar],
        scalar=scalar,
        kernel=kernel,
        method=method,
        live=[
            *scalar,
            *(kernel[index] for index in np.unique(x.kernel)),
            *(method[index] for index in np.unique(x.method)),
        ],
    )


class DecodeTime(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Fits the parameters of `physics` to log speeds; `X` is an `Inputs` of arrays.

    `parameters_` holds the fitted values by name, `theta_` their logs in units of the prior.
    """

    def __init__(self, priors: Sequence[Prior], noise: float = NOISE) -> None:
        self.priors = priors
        self.noise = noise

    def fit(self, X: Inputs, y: Array, sample_weight: Array | None = None) -> "DecodeTime":  # noqa: N803 - scikit-learn's name
        """Fit to the logs `y` of measured speeds."""
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        theta = np.zeros(len(self.priors))
        self._layout = _layout(self.priors, X)
        cost = self._cost(X, y, weight, theta)
        for _ in range(ITERATIONS):
            target = self._step(X, y, weight, theta)
            for fraction in (1.0, 0.5, 0.25, 0.1):
                tried = theta + fraction * (target - theta)
                tried_cost = self._cost(X, y, weight, tried)
                if tried_cost < cost:
                    break
            else:
                break
            settled = cost - tried_cost < SETTLED * cost
            theta, cost = tried, tried_cost
            if settled:
                break
        self.theta_ = theta
        self.parameters_ = self.named(theta)
        return self

    def predict(self, X: Inputs) -> Array:  # noqa: N803 - scikit-learn's name
        """Give the log speeds; scikit-learn's NotFittedError before a fit."""
        check_is_fitted(self, "parameters_")
        return self.log_speed(X, self.parameters_)

    def log_speed(self, x: Inputs, values: dict[str, float]) -> Array:
        """Give the log speeds for parameters by name."""
        speed: Array = np.log(tokens_per_s(x, arrays(gathered(values))))
        return speed

    def named(self, theta: Array) -> dict[str, float]:
        """Turn scaled logs into values by name."""
        return {
            prior.name: float(prior.value * np.exp(prior.sd * step))
            for prior, step in zip(self.priors, theta, strict=True)
        }

    def _log_speed(self, x: Inputs, theta: Array) -> Array:
        layout = self._layout
        values = layout.value * np.exp(layout.sd * theta)
        scalar = dict(zip(layout.names, values[layout.scalar].tolist(), strict=True))
        parameters = Parameters(scalar, values[layout.kernel], values[layout.method])
        speed: Array = np.log(tokens_per_s(x, parameters))
        return speed

    def _cost(self, x: Inputs, y: Array, weight: Array, theta: Array) -> float:
        scaled = np.abs(y - self._log_speed(x, theta)) / self.noise
        huber = np.where(scaled < HUBER, scaled**2, 2 * HUBER * scaled - HUBER**2)
        return float(np.sum(weight * huber) + np.sum(theta**2))

    def _step(self, x: Inputs, y: Array, weight: Array, theta: Array) -> Array:
        """Solve the linearised problem: one weighted ridge regression."""
        here = self._log_speed(x, theta)
        slopes = np.zeros((len(y), len(theta)))
        for index in self._layout.live:
            moved = theta.copy()
            moved[index] += STEP
            slopes[:, index] = (self._log_speed(x, moved) - here) / STEP
        left = y - here
        robust = np.minimum(1.0, HUBER * self.noise / np.maximum(np.abs(left), 1e-12))
        ridge = Ridge(alpha=self.noise**2, fit_intercept=False, solver="cholesky")
        ridge.fit(slopes, left + slopes @ theta, sample_weight=weight * robust)
        solved: Array = ridge.coef_
        return solved


def arrays(parameters: Parameters) -> Parameters:
    """Make the category lists arrays, so that arrays can index them."""
    return parameters._replace(
        kernel=np.array(parameters.kernel), method=np.array(parameters.method)
    )


def rig_weights(rigs: Sequence[Any]) -> Array:
    """Weigh each row 1 over the root of its machine's rows, mean 1: no machine outvotes many."""
    _, place, counts = np.unique(np.array(rigs), return_inverse=True, return_counts=True)
    weight: Array = 1 / np.sqrt(counts[place])
    scaled: Array = weight / weight.mean()
    return scaled

"""The interval of one prediction: what machines left out showed, widened for what is assumed."""

from collections.abc import Mapping
from math import exp, log

from models.parameters import Parameters
from models.physics import Inputs, tokens_per_s

Z = {0.5: 0.674, 0.8: 1.282, 0.9: 1.645}
"""Standard normal quantiles, for the spread of assumed inputs."""


def perturbed(inputs: Inputs, field: str, spread: float) -> Inputs:
    """Move one assumed input by its spread (log); for a hit rate, the misses move."""
    if field == "hit_rate":
        return inputs._replace(hit_rate=1 - (1 - inputs.hit_rate) * exp(-spread))
    return inputs._replace(**{field: getattr(inputs, field) * exp(spread)})


def moves(inputs: Inputs, parameters: Parameters, doubts: Mapping[str, float]) -> dict[str, float]:
    """Say how far each assumed input moves the speed (log) when it moves by its spread."""
    here = tokens_per_s(inputs, parameters)
    return {
        field: log(tokens_per_s(perturbed(inputs, field, spread), parameters) / here)
        for field, spread in doubts.items()
    }


def doubt(moved: Mapping[str, float]) -> float:
    """Add up, in quadrature, how far the assumed inputs may move the speed (log)."""
    total: float = sum(step**2 for step in moved.values()) ** 0.5
    return total


def bounds(
    speed: float, bracket: tuple[float, float], spread: float, level: float
) -> tuple[float, float]:
    """Put the interval around `speed`: the bracket of the stratum and the doubt in quadrature."""
    low, high = bracket
    extra = Z[level] * spread
    return (
        speed * exp(min(low, 0.0) - _beyond(low, extra)),
        speed * exp(max(high, 0.0) + _beyond(high, extra)),
    )


def narrowed(speed: float, whole: tuple[float, float], left: float) -> tuple[float, float]:
    """Draw both ends towards `speed` where own runs leave only the share `left` of the variance."""
    low, high = (speed * (end / speed) ** left**0.5 for end in whole)
    return low, high


def _beyond(side: float, extra: float) -> float:
    """Say how much `extra`, in quadrature, adds to one side of a bracket."""
    both: float = (side**2 + extra**2) ** 0.5
    return both - abs(side)

"""What a number of one's own tells of the other slugs on the same rig.

Errors of two configurations on one machine hang together: strongly for the same model at another
quant, hardly for another model, not from one stratum to another (`components`), and through
whatever was assumed for both. Own runs are conditioned on as jointly Gaussian logs, so that one
number moves each answer by its share and narrows its interval by what it really tells.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Known(NamedTuple):
    """A configuration with what was doubted in it: field → how far one spread moves it (log)."""

    stratum: str
    model: str
    quant: str
    doubts: Mapping[str, float]


class Told(NamedTuple):
    """What own runs tell: `shift` to add (log), and the share of the variance that is left."""

    shift: float
    variance_left: float


def shared(components: Mapping[str, float], a: Known, b: Known) -> float:
    """Give the covariance (log²) of the errors of two configurations on one machine."""
    return components[_level(a, b)] + _doubts(a, b)


def _level(a: Known, b: Known) -> str:
    if a.stratum != b.stratum:
        return "stratum"
    return "rig" if a.model != b.model else "model" if a.quant != b.quant else "variant"


def variance(components: Mapping[str, float], one: Known) -> float:
    """Give the variance (log²) of the error of a configuration."""
    return components["row"] + _doubts(one, one)


def _doubts(a: Known, b: Known) -> float:
    return sum((moved * b.doubts.get(field, 0.0) for field, moved in a.doubts.items()), 0.0)


def told(
    components: Mapping[str, float], asked: Known, runs: Sequence[tuple[Known, float]]
) -> Told:
    """Condition on own runs, each with its log of measured over predicted."""
    if not runs:
        return Told(0.0, 1.0)
    across = [shared(components, asked, known) for known, _ in runs]
    among = [
        [
            variance(components, a) if i == j else shared(components, a, b)
            for j, (b, _) in enumerate(runs)
        ]
        for i, (a, _) in enumerate(runs)
    ]
    weights = solve(among, across)
    shift = sum((w * left for w, (_, left) in zip(weights, runs, strict=True)), 0.0)
    explained = sum((w * c for w, c in zip(weights, across, strict=True)), 0.0)
    return Told(shift, max(0.0, 1 - explained / variance(components, asked)))


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a small positive definite system; a prediction does not wait for numpy."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / pivot[i]
            rows[j] = [x - factor * y for x, y in zip(rows[j], pivot, strict=True)]
    solved = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        known = sum(rows[i][j] * solved[j] for j in range(i + 1, len(rows)))
        solved[i] = (rows[i][-1] - known) / rows[i][i]
    return solved

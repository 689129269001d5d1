"""Drafted tokens: from the chance of one being right to the tokens that a pass yields."""

from functools import cache
from typing import Any


def accepted_share(alpha: float, depth: int) -> float:
    """Turn the chance that one drafted token is right into the share of `depth` that is accepted.

    A token counts only if all before it were right: (a + a² + … + a^depth) ÷ depth.
    """
    return sum((alpha**position for position in range(1, depth + 1)), 0.0) / depth if depth else 0.0


@cache
def alpha_of(share: float, depth: float) -> float:
    """Invert `accepted_share`: the chance behind an accepted share, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if accepted_share(middle, round(depth)) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def default_alpha(known: dict[str, Any], kind: str, workload: str) -> tuple[float, float]:
    """Find what to assume for a drafter on a workload: (chance, spread of the log tokens a pass).

    `known` is keyed drafter/workload, then drafter, then any/workload, then any.
    """
    places = (f"{kind}/{workload}", kind, f"any/{workload}", "any")
    entry = next(known[place] for place in places if place in known)
    return entry["alpha"], entry["sd"]

"""Advice that falls out of the model: how deep to draft, and how many threads are enough."""

from models.answer import Drafting
from models.estimate import KNEE, Question, estimate
from models.physics import tokens_per_s
from models.setup import Target

DEEPEST = 8
"""Deeper drafts bypass an expert cache and have helped nobody in the record."""


def drafting(question: Question, target: Target) -> Drafting | None:
    """Price every depth; None for a target that launches no drafter."""
    own = target.launch["drafter"]
    if own is None:
        return None
    speeds = {depth: _speed(question, target, depth) for depth in range(DEEPEST + 1)}
    depth = question.request.depth or own["depth"]
    return Drafting(
        best_depth=max(speeds, key=lambda d: speeds[d]),
        tokens_per_s=speeds,
        depth=depth,
        pays_above=_pays_above(question, target, depth, speeds[0]),
    )


def _speed(
    question: Question, target: Target, depth: int, acceptance: float | None = None
) -> float:
    request = question.request._replace(depth=depth)
    if acceptance is not None:
        request = request._replace(acceptance=acceptance)
    return estimate(question._replace(request=request), target).tokens_per_s


def _pays_above(question: Question, target: Target, depth: int, without: float) -> float | None:
    """Find the accepted share at which drafting breaks even, by bisection."""
    low, high = 0.0, 1.0
    if _speed(question, target, depth, high) <= without:
        return None
    for _ in range(20):
        middle = (low + high) / 2
        if _speed(question, target, depth, middle) < without:
            low = middle
        else:
            high = middle
    return high


def enough_threads(question: Question, target: Target) -> tuple[int, int]:
    """Walk the thread counts up to the cores; give the fewest and most near the best."""
    setup = estimate(question, target).setup
    cores = question.rig.cores
    speeds = {
        threads: tokens_per_s(setup.inputs._replace(busy_cores=float(threads)), question.parameters)
        for threads in range(1, cores + 1)
    }
    best = max(speeds.values())
    near = [threads for threads, speed in speeds.items() if speed >= KNEE * best]
    return near[0], near[-1]

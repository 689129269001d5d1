"""Advice that falls out of the model: drafting depth, threads, prefill and context."""

from models.answer import Answer, Ceiling, Drafting, Prefill
from models.ceiling import ceiling
from models.estimate import KNEE, Question, estimate
from models.physics import tokens_per_s
from models.prefill import UBATCH, prefill
from models.setup import Target, placement, reference_cards

DEEPEST = 8
"""Deeper drafts bypass an expert cache and have helped nobody in the record."""


def advised(answer: Answer, question: Question, target: Target) -> Answer:
    """Add to an answer what is worked out only where a slug or a model was asked about."""
    return answer._replace(
        threads_enough=enough_threads(question, target),
        drafting=drafting(question, target),
        prefill=reading(question, target),
        context=context(question, target),
    )


def _ubatch(question: Question, target: Target) -> int:
    return question.request.ubatch or target.launch["ubatch"] or UBATCH


def reading(question: Question, target: Target) -> Prefill | None:
    """Predict the prefill of the context asked about; None without a card."""
    request = question.request
    inputs = estimate(question, target).setup.inputs
    ubatch = _ubatch(question, target)
    return prefill(question.model.prefill, inputs, ubatch, request.at_tokens, request.level)


def context(question: Question, target: Target) -> Ceiling | None:
    """Find the context that boots, and that survives a deep prefill; None without a card."""
    cards = question.rig.cards or reference_cards(target, question.facts)
    drafted = estimate(question, target).setup.depth > 0
    placed = placement(target, question.request, cards, drafter=drafted)
    if not drafted:
        target = target._replace(launch={**target.launch, "drafter": None})
    return ceiling(target, placed, cards, _ubatch(question, target))


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

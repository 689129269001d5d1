"""What is assumed where a run or a request does not state it: acceptance and cache hits.

Both are estimated from the rows that state them, one vote a machine, and shrunk: a drafter on a
workload towards the drafter, a drafter towards all; a model's cache towards all models.
"""

from collections.abc import Iterable, Sequence
from math import exp, log
from statistics import fmean
from typing import Any

from models.drafting import alpha_of
from models.facts import Facts
from models.rows import FitRow

ALPHA = 0.7
"""Chance that a drafted token is right, before any data: sampled prose, block drafters."""

ALPHA_BY_WORKLOAD = {"narrative": 0.65, "code": 0.85}
"""The same by prompt: narrative accepts about .71, code 1.5 times the mean over both."""

GAMMA = 5.0
"""How far hits run ahead of coverage (`expert_cache.coverage_hit_rate`): 2.9 to 6.4 by model."""

SD_TOKENS_PER_PASS = 0.18
"""Spread (log) of tokens per pass around the default of a drafter and workload."""

SD_MISSES = 0.3
"""Spread (log) of cache misses around their default: prompts and warm-up move them."""

PRIOR_RIGS = 1.0
"""The prior counts as this many machines."""

BEFORE: Facts = {
    "acceptance": {
        "any": {"alpha": ALPHA, "sd": SD_TOKENS_PER_PASS},
        **{
            f"any/{workload}": {"alpha": alpha, "sd": SD_TOKENS_PER_PASS}
            for workload, alpha in ALPHA_BY_WORKLOAD.items()
        },
    },
    "hit_rate": {"gamma": {}, "other": GAMMA, "sd": SD_MISSES},
}
"""The assumptions before any data."""


def assumptions(rows: Sequence[FitRow]) -> Facts:
    """Estimate the assumptions from `rows`; hand in training rows only."""
    return {"acceptance": _acceptance(rows), "hit_rate": _hit_rate(rows)}


def _acceptance(rows: Sequence[FitRow]) -> dict[str, Any]:
    stated = [
        (row, alpha_of(row.accepted, row.inputs.drafted))
        for row in rows
        if row.accepted is not None and row.drafter
    ]
    known: dict[str, Any] = dict(BEFORE["acceptance"])
    for workload in ("narrative", "code"):
        found = [(row.rig, alpha) for row, alpha in stated if row.workload == workload]
        known[f"any/{workload}"] = _entry(found, ALPHA_BY_WORKLOAD[workload])
    known["any"] = _entry([(row.rig, alpha) for row, alpha in stated], ALPHA)
    for kind in sorted({row.drafter or "" for row, _ in stated}):
        own = [(row, alpha) for row, alpha in stated if row.drafter == kind]
        known[kind] = _entry([(row.rig, alpha) for row, alpha in own], known["any"]["alpha"])
        for workload in ("narrative", "code"):
            found = [(row.rig, alpha) for row, alpha in own if row.workload == workload]
            known[f"{kind}/{workload}"] = _entry(found, known[f"any/{workload}"]["alpha"])
    return known


def _entry(found: Iterable[tuple[str, float]], parent: float) -> dict[str, float]:
    return {"alpha": _shrunk(found, parent), "sd": SD_TOKENS_PER_PASS}


def _shrunk(found: Iterable[tuple[str, float]], parent: float) -> float:
    """Average over machines, each one vote, with the parent as `PRIOR_RIGS` machines."""
    by_rig: dict[str, list[float]] = {}
    for rig, value in found:
        by_rig.setdefault(rig, []).append(value)
    means = [fmean(values) for values in by_rig.values()]
    return (sum(means) + PRIOR_RIGS * parent) / (len(means) + PRIOR_RIGS)


def _hit_rate(rows: Sequence[FitRow]) -> dict[str, Any]:
    """Solve each stated hit rate for gamma, and average the logs by model."""
    stated = [
        (row, log(log(1 - row.hit_rate) / log(1 - row.coverage)))
        for row in rows
        if row.hit_rate and row.coverage and row.hit_rate < 1 and row.coverage < 1
    ]
    other = _shrunk([(row.rig, gamma) for row, gamma in stated], log(GAMMA))
    gamma = {
        model: exp(_shrunk([(r.rig, g) for r, g in stated if r.model == model], other))
        for model in sorted({row.model for row, _ in stated})
    }
    return {"gamma": gamma, "other": exp(other), "sd": SD_MISSES}

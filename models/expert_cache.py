"""A GPU cache of experts: the pool that is left for it, and the hits to expect from that."""

from collections.abc import Sequence
from typing import Any

from models.facts import GB_PER_GIB

RESERVE_GIB = 1.5
"""What the cache leaves free on each card: 1536 MiB is the optimum on 24 GB (club-3090)."""

COMPUTE_GIB = 0.8
"""Compute buffers of a card at ubatch 2048: 1600 MiB over two cards (club-3090)."""

HOST_DRAFTER_GIB = 7.5
"""What a drafter on the host still takes of the cards for its context (club-3090)."""


def pool_gib(
    variant: dict[str, Any], vram_gib: Sequence[float], ctx_tokens: int, *, drafter: bool
) -> float:
    """Estimate the pool: what VRAM is left by dense weights, context, buffers and reserve."""
    taken: float = (
        variant["dense_gb"] / GB_PER_GIB
        + (variant["kv_mib_per_1k"] or 0.0) * ctx_tokens / 1000 / 1024
        + len(vram_gib) * (RESERVE_GIB + COMPUTE_GIB)
        + (HOST_DRAFTER_GIB if drafter else 0.0)
    )
    return max(0.0, sum(vram_gib) - taken)


def coverage_hit_rate(coverage: float, gamma: float) -> float:
    """Estimate the hit rate of a cache that holds `coverage` of the routed bytes.

    1 - (1 - c)^gamma: popular experts are cached first, so hits run ahead of coverage.
    """
    missing: float = (1 - min(1.0, max(0.0, coverage))) ** gamma
    return 1 - missing


def hit_rate_of(known: dict[str, Any], model: str, coverage: float) -> float:
    """Estimate the hit rate of `model`; `known` holds gamma by model, and for others."""
    return coverage_hit_rate(coverage, known["gamma"].get(model, known["other"]))

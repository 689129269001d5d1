"""Whether the experts that stay on the host fit its memory."""

from typing import NamedTuple

OVERHEAD_GIB = 8.0
"""What the process takes beside the weights: the reference headers are pinned GiB + about 8."""

COMFORT_GIB = 8.0
"""Peaks of a full report ran to 16 GiB above the weights: below this much spare, warn."""


class Need(NamedTuple):
    """Host memory that a placement needs, in GiB, part by part.

    `dense_gib` is the rest of the model, its cache and its buffers where no card holds them,
    `prediction_gib` the experts of prediction layers, which lie in memory unread.
    """

    experts_gib: float
    embedding_gib: float
    drafter_gib: float
    overhead_gib: float = OVERHEAD_GIB
    dense_gib: float = 0.0
    prediction_gib: float = 0.0

    @property
    def total_gib(self) -> float:
        """Add the parts up."""
        return sum(self)


class Verdict(NamedTuple):
    """Whether it fits (None: not known), whether it is tight, and what would be missing."""

    fits: bool | None
    tight: bool
    missing_gib: float


def host_need(
    experts_mib: float, embedding_gib: float | None = None, drafter_gib: float | None = None
) -> Need:
    """Price a placement: experts on the host, the look-up table, a drafter on the host."""
    return Need(experts_mib / 1024, embedding_gib or 0.0, drafter_gib or 0.0)


def gate(need: Need, ram_gib: float | None) -> Verdict:
    """Compare the need with the memory there is; unknown memory gives no verdict."""
    if ram_gib is None:
        return Verdict(None, tight=False, missing_gib=0.0)
    missing = need.total_gib - ram_gib
    return Verdict(missing <= 0, tight=-COMFORT_GIB < missing <= 0, missing_gib=max(0.0, missing))

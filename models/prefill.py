"""Prefill: how fast a prompt is read when the experts lie in host memory.

The engine streams every expert that is on the host over the link once for each physical batch, and
computes on the cards. A card's bandwidth stands in for its compute. Good for ranking: links and
builds are not known to it, and its interval says so.

    seconds per token = host GB ÷ (batch tokens x stream GB/s) + active weights ÷ rate of the card
"""

from collections.abc import Mapping
from math import exp
from typing import Any, NamedTuple

from models.answer import Prefill
from models.facts import Facts
from models.physics import Inputs

Number = Any
"""A float or a numpy array of floats."""

UBATCH = 2048
"""Physical batch where neither request nor slug says: that of the reference's cached slugs."""

PROMPT_TOKENS = 10_000
"""Prompt whose first token is told where no context was asked about: the reference's short one."""


class Reading(NamedTuple):
    """One prompt to read: `host_gb` of experts on the host, tokens read before as `context_10k`."""

    host_gb: Number
    batch_tokens: Number
    active_gweights: Number
    gpu_gbps: Number
    context_10k: Number


def reading_of(x: Inputs, ubatch: float, prompt_tokens: float, context_tokens: float) -> Reading:
    """Take what a prefill moves and computes out of the inputs of a pass."""
    return Reading(
        host_gb=x.routed_gb / x.expert_share * x.cpu_share,
        batch_tokens=min(ubatch, prompt_tokens),
        active_gweights=x.routed_gweights + x.dense_gweights,
        gpu_gbps=x.gpu_gbps,
        context_10k=context_tokens / 10_000,
    )


def prefill_tokens_per_s(reading: Reading, p: Mapping[str, float]) -> Number:
    """Give tokens/s; floats or arrays alike."""
    stream = reading.host_gb / (reading.batch_tokens * p["stream_gbps"])
    compute = reading.active_gweights / (p["gweights_per_gb"] * reading.gpu_gbps)
    return 1 / ((stream + compute) * (1 + p["depth"] * reading.context_10k))


def prefill(known: Facts, x: Inputs, ubatch: int, at_tokens: int, level: float) -> Prefill | None:
    """Predict a prompt of `at_tokens` read from nothing; None without a card.

    The context grows while it is read: half of it is filled on average.
    """
    if x.dense_on_cpu:
        return None
    prompt = at_tokens or PROMPT_TOKENS
    reading = reading_of(x, ubatch, prompt, prompt / 2)
    speed = prefill_tokens_per_s(reading, known["parameters"])
    low, high = known["interval"][f"{level:g}"]
    return Prefill(
        tokens_per_s=float(speed),
        low=float(speed * exp(low)),
        high=float(speed * exp(high)),
        ttft_s=float(prompt / speed),
        prompt_tokens=prompt,
        ubatch=ubatch,
    )

"""Seconds per pass, resource by resource: the one definition that fit and prediction share.

Every function takes floats or numpy arrays alike: only operators are used, no numpy call, so that a
prediction needs no import. `Inputs` describe one pass; `Parameters` are fitted.

    seconds = (memory² + compute²)^½ + hand-offs + GPU bytes ÷ GPU bandwidth + drafter + fixed
"""

from typing import Any, NamedTuple

from models.parameters import Parameters

Number = Any
"""A float or a numpy array of floats: the arithmetic is the same."""

REUSE = 0.3
"""Share of its experts that a verified token takes over from the one before.

Weakly identified (0 to 0.45 score alike on the public record), hence not fitted.
"""

YIELD_CAP = 1.1
"""No memory delivers more than this over what a read tool says."""


class Inputs(NamedTuple):
    """What one pass has to do and on what. Shares lie in 0…1, flags are 0 or 1.

    `routed_gb` and `routed_gweights` are the routed experts of all layers that one token reads,
    `cpu_share` the share of them placed in host memory, `hit_rate` the share of those that a GPU
    cache serves; `dense_*` is what every token reads outside them. `verified` tokens go through one
    pass, `drafted` of them from the drafter. `gbps` is memory bandwidth by `method` (an index), for
    all `sockets`; `core_speed` is 1 for Zen 2 at 4 GHz; `busy_cores` the cores at work.
    """

    routed_gb: Number
    routed_gweights: Number
    cpu_share: Number
    hit_rate: Number
    dense_gb: Number
    dense_gweights: Number
    dense_on_cpu: Number
    layers_on_cpu: Number
    layers: Number
    expert_share: Number
    verified: Number
    drafted: Number
    drafter_on_cpu: Number
    tokens_per_pass: Number
    gbps: Number
    method: Number
    sockets_log2: Number
    busy_cores: Number
    core_speed: Number
    kernel: Number
    intel: Number
    gpu_gbps: Number
    gpus_log2: Number
    gpus_beyond_two: Number
    cache_on: Number
    context_10k: Number


class Parts(NamedTuple):
    """Seconds of one pass by resource. Memory and compute overlap: they add as a 2-norm."""

    memory: Number
    compute: Number
    hand_off: Number
    gpu: Number
    drafter: Number
    fixed: Number
    stretch: Number

    @property
    def experts(self) -> Number:
        """Give the time of the CPU experts: whichever is slower of the two, smoothly."""
        return (self.memory**2 + self.compute**2) ** 0.5

    @property
    def total(self) -> Number:
        """Add the resources up, stretched by the context that attention reads."""
        rest = self.hand_off + self.gpu + self.drafter + self.fixed
        return (self.experts + rest) * self.stretch


def union_growth(verified: Number, expert_share: Number) -> Number:
    """Say how many times the experts of one token are read when several are verified together.

    Independent routing to a share k/N gives Σ (1 - k/N)^i, i from 0 to verified - 1; each token
    after the first takes `REUSE` of its experts over from the one before.
    """
    fresh = 1 - expert_share
    return 1 + (1 - REUSE) * (fresh - fresh**verified) / expert_share


def effective_gbps(x: Inputs, p: Parameters) -> Number:
    """Turn a bandwidth figure into what decoding gets of it."""
    s = p.scalar
    read = x.gbps * p.method[x.method]
    bare = s["yield"] * (read / 150) ** -s["yield_fall"]
    capped = bare / (1 + (bare / YIELD_CAP) ** 8) ** 0.125
    return read * capped * s["socket"] ** x.sockets_log2


def parts(x: Inputs, p: Parameters) -> Parts:
    """Price one pass."""
    s = p.scalar
    cpu_share = x.cpu_share * (1 - x.hit_rate)
    union = union_growth(x.verified, x.expert_share)
    cpu_gb = union * x.routed_gb * cpu_share + x.dense_gb * x.dense_on_cpu
    gweights = x.verified * (x.routed_gweights * cpu_share + x.dense_gweights * x.dense_on_cpu)
    rate = s["core_rate"] * x.core_speed ** s["speed_power"] * s["intel"] ** x.intel
    gpu_gb = x.dense_gb * (1 - x.dense_on_cpu) + union * x.routed_gb * (1 - cpu_share)
    # On the CPU alone it is barriers of all threads, each of which waits for every other.
    layer_ms = s["hand_off"] * x.layers_on_cpu * (x.busy_cores / 32) ** x.dense_on_cpu
    cards = 1 + s["cache_cards"] * x.gpus_beyond_two
    cache_ms = s["cache_hand_off"] * x.layers * x.cache_on * cards
    draft_ms = x.drafter_on_cpu * s["drafter_cpu"] + (1 - x.drafter_on_cpu) * s["drafter_gpu"]
    depth = x.dense_on_cpu * s["depth_cpu"] + (1 - x.dense_on_cpu) * s["depth_gpu"]
    return Parts(
        memory=cpu_gb / effective_gbps(x, p),
        compute=gweights / (x.busy_cores * rate * p.kernel[x.kernel]),
        hand_off=(layer_ms + cache_ms) / 1000,
        gpu=gpu_gb / (s["gpu_yield"] * x.gpu_gbps) * s["gpu_split"] ** x.gpus_log2,
        drafter=x.drafted * draft_ms / 1000,
        fixed=s["fixed"] / 1000,
        stretch=1 + depth * x.context_10k,
    )


def tokens_per_s(x: Inputs, p: Parameters) -> Number:
    """Give decode speed: tokens of a pass over its seconds."""
    return x.tokens_per_pass / parts(x, p).total

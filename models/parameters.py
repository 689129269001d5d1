"""The numbers of the speed model: each with a unit, a meaning, a prior and the prior's spread.

Priors are log-normal: `sd` is the standard deviation of the logarithm. Where no source is named,
the prior is the middle of the public findings that `docs/method` lists and the spread says how
little is known.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Prior(NamedTuple):
    """One parameter before any data."""

    name: str
    value: float
    sd: float
    unit: str
    meaning: str


SCALARS = (
    Prior("yield", 0.88, 0.2, "ratio", "share of read bandwidth that decoding gets, at 150 GB/s"),
    Prior("yield_fall", 0.19, 0.4, "exponent", "how that share falls as bandwidth grows"),
    Prior("socket", 0.55, 0.3, "ratio", "of the bandwidth that is kept, per doubling of sockets"),
    Prior("core_rate", 14.7, 0.3, "Gweight/s", "rate of one core, Zen 2 at 4 GHz, 4-bit IQ"),
    Prior("speed_power", 0.95, 0.15, "exponent", "of a core's speed in its rate"),
    Prior("intel", 0.6, 0.25, "ratio", "rate of an Intel core, against its nominal speed"),
    Prior("hand_off", 0.18, 0.5, "ms", "per layer on the CPU; without a GPU, by 32 threads"),
    Prior("cache_hand_off", 0.1, 0.6, "ms", "for each layer, with an expert cache on the GPU"),
    Prior("cache_cards", 0.5, 0.5, "ratio", "added to the cache hand-off by each card beyond two"),
    Prior("gpu_yield", 0.7, 0.2, "ratio", "share of the rated GPU bandwidth that decoding gets"),
    Prior("gpu_split", 1.1, 0.1, "ratio", "GPU time, per doubling of the cards"),
    Prior("drafter_cpu", 6.4, 0.5, "ms", "for each drafted token, drafter on the CPU"),
    Prior("drafter_gpu", 2.3, 0.6, "ms", "for each drafted token, drafter on a GPU"),
    Prior("fixed", 4.3, 0.6, "ms", "for each pass, whatever the rig"),
    Prior("depth_gpu", 0.06, 0.6, "ratio", "longer pass per 10,000 tokens of context on the GPU"),
    Prior("depth_cpu", 0.3, 0.6, "ratio", "longer pass per 10,000 tokens of context on the CPU"),
)  # fmt: skip

# Kernel class → rate against i-quants of 4 bits. Classes without a CPU kernel of their own take 1.
_KERNELS = {
    "k-quant": 1.37, "r4": 1.5, "iqk": 1.43, "mxfp4": 0.95, "q8-0": 0.82, "iq1-3": 0.61,
    "iq4": 1.0, "q4-0": 1.0, "trellis": 0.7, "fp8": 0.7, "int4": 1.3, "int8": 1.0, "bf16": 0.5,
}  # fmt: skip

# Share of channels by MT/s by 8 that a read tool reports, by platform class.
RATED = {"desktop": 0.80, "mobile": 0.78, "hedt": 0.78, "workstation": 0.72, "server": 0.76}

CORE_SPEED = 1.0
"""Speed of a core that nobody named: Zen 2 at 4 GHz, the middle of the record."""


class Parameters(NamedTuple):
    """Values by name, and by category index: what `physics` computes with.

    `kernel` and `method` are lists where one row is predicted and arrays where many are.
    """

    scalar: Mapping[str, float]
    kernel: Any
    method: Any


def priors(kernels: Sequence[str], methods: Mapping[str, float]) -> list[Prior]:
    """List every prior: scalars, one for each kernel class, one for each bandwidth method.

    `methods` maps a bandwidth method to what turns its figure into read bandwidth.
    """
    return [
        *SCALARS,
        *(
            Prior(
                f"kernel.{name}", _KERNELS.get(name, 1.0), 0.25, "ratio", f"rate of {name} kernels"
            )
            for name in kernels
        ),
        *(
            Prior(f"method.{name}", factor, 0.12, "ratio", f"read bandwidth per GB/s of {name}")
            for name, factor in methods.items()
        ),
    ]


def gathered(values: Mapping[str, float]) -> Parameters:
    """Group named values as `physics` takes them; categories keep the order of `values`."""
    return Parameters(
        {name: value for name, value in values.items() if "." not in name},
        [value for name, value in values.items() if name.startswith("kernel.")],
        [value for name, value in values.items() if name.startswith("method.")],
    )

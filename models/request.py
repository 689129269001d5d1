"""What a person asks: a rig as far as it is known, and what to run on it.

Whatever is None was not given: the predictor assumes it, says so, and widens the interval where it
matters. This module imports nothing heavy: `predict` comes through it.
"""

from typing import NamedTuple

from ingest.misuse import Misuse

FASTEST = 10_000.0
"""No rig of this kind decodes faster than this, in tokens/s."""

LEVELS = (0.5, 0.8, 0.9)
"""Nominal levels of the intervals; coverage is measured at each."""


class GpuRequest(NamedTuple):
    """Cards of one kind, by name."""

    name: str
    cards: int = 1


class OwnRun(NamedTuple):
    """A speed that was measured on the rig asked about; `workload` None: the one asked about."""

    slug: str
    tokens_per_s: float
    workload: str | None = None


class Request(NamedTuple):
    """One question. Units stand in the names; GiB are binary, GB/s decimal."""

    triad_gbps: float | None = None
    triad_method: str | None = None
    channels: int | None = None
    mts: float | None = None
    cores: int | None = None
    sockets: int = 1
    threads: int | None = None
    smt: bool | None = None
    cpu: str | None = None
    ram_gib: float | None = None
    gpus: tuple[GpuRequest, ...] = ()
    vram_gib: float | None = None
    slugs: tuple[str, ...] = ()
    model: str | None = None
    quant: str | None = None
    workload: str = "narrative"
    depth: int | None = None
    acceptance: float | None = None
    hit_rate: float | None = None
    cpu_layers: int | None = None
    at_tokens: int = 0
    ctx_tokens: int | None = None
    ubatch: int | None = None
    mine: tuple[OwnRun, ...] = ()
    level: float = 0.8


RANGES: dict[str, tuple[float, float, str]] = {
    "triad_gbps": (1, 2000, "GB/s"),  # two sockets of 12 channels at 8800 MT/s make 1690
    "channels": (1, 48, "memory channels"),
    "mts": (400, 16_000, "MT/s"),
    "cores": (1, 1024, "physical cores"),
    "sockets": (1, 8, "sockets"),
    "threads": (1, 4096, "threads"),
    "ram_gib": (0.5, 16_384, "GiB"),
    "vram_gib": (0, 4096, "GiB"),
    "depth": (0, 64, "drafted tokens per pass"),
    "acceptance": (0, 1, "a share"),
    "hit_rate": (0, 1, "a share"),
    "cpu_layers": (0, 500, "layers"),
    "at_tokens": (0, 10_000_000, "tokens"),
    "ctx_tokens": (1, 10_000_000, "tokens"),
    "ubatch": (32, 65_536, "tokens"),
}
"""field → (lowest, highest, unit): outside of these no rig exists."""


def checked(request: Request) -> Request:
    """Return the request, or raise Misuse: one line for each value that no rig can have."""
    wrong = [*_out_of_range(request), *_contradictions(request)]
    if wrong:
        raise Misuse("\n".join(wrong))
    return request


def flag_of(field: str) -> str:
    """Name the command-line flag that sets `field`."""
    special = {"triad_gbps": "triad", "ram_gib": "ram", "vram_gib": "vram", "at_tokens": "at"}
    return "--" + special.get(field, field.removesuffix("_tokens")).replace("_", "-")


def _out_of_range(request: Request) -> list[str]:
    wrong = []
    for field, (low, high, unit) in RANGES.items():
        value = getattr(request, field)
        if value is not None and not low <= value <= high:
            wrong.append(f"{flag_of(field)}: should be {low:g} to {high:g} {unit}, got {value:g}")
    return wrong


def _contradictions(request: Request) -> list[str]:
    wrong = []
    if request.level not in LEVELS:
        wrong.append(f"--level: should be one of 0.5, 0.8, 0.9, got {request.level:g}")
    if request.triad_gbps is None and (request.channels is None or request.mts is None):
        wrong.append("give --triad GBPS, or --channels N with --mts N")
    if request.cores is None and request.cpu is None:
        wrong.append("give --cores N (physical), or --cpu NAME")
    wrong += [
        f"--mine: {run.slug}: should be above 0 tokens/s, got {run.tokens_per_s:g}"
        for run in request.mine
        if not 0 < run.tokens_per_s < FASTEST
    ]
    if any(gpu.cards < 1 for gpu in request.gpus):
        wrong.append("--gpu: a count should be 1 or more")
    return wrong

"""What a machine and a count can be: the rules of plausibility that need no speed.

Rules like those of `rules.py`, registered with them. What contradicts itself or the catalogue is an
error; what is rare or odd is a flag; what a reader should know is a note. The rules that hold a
speed against physics stand in `walls.py`.
"""

import re
from collections.abc import Iterator

from ingest.bundle import Bundle, Gpu, Measurement, Run
from ingest.catalog import Catalog, CpuEntry
from ingest.folder import Filed
from ingest.hardware import find_cpu
from ingest.rules import Finding, rule

RATES_MTS = {
    "DDR3": (800.0, 2400.0),
    "DDR4": (1600.0, 4400.0),
    "DDR5": (3200.0, 8400.0),
    "LPDDR5X": (6400.0, 9600.0),
    "MRDIMM": (8000.0, 12800.0),
}
"""Transfer rates that modules of a kind are run at: JEDEC JESD79-3/-4/-5 and JESD209-5 from the
slowest bin up, with head room for overclocked kits that are sold."""

DIMMS_PER_CHANNEL = 3
"""No board of the catalogue's platforms has more slots on one channel (Xeon E5 servers have 3)."""

BANDWIDTH_SLACK = 1.05
"""A good read tool comes within a few percent of paper; more than paper came out of a cache."""

RAM_SHORT_OF_MODULES = 0.85
"""Firmware, kdump and integrated graphics take up to about a tenth of what is fitted."""

FEW = 3
"""Fewer repeats than this can agree to the last digit by chance."""


def measurements(bundle: Bundle) -> Iterator[tuple[str, Run, Measurement]]:
    """List the measurements with their place and their run."""
    for i, run in enumerate(bundle.runs):
        for j, measurement in enumerate(run.measurements):
            yield f"runs[{i}].measurements[{j}]", run, measurement


def cards(bundle: Bundle) -> tuple[Gpu, ...]:
    """List the cards of the box; none where there are none, or none is told."""
    gpus = bundle.rig.gpus
    return gpus if isinstance(gpus, tuple) else ()


def _cpu(filed: Filed, catalog: Catalog) -> tuple[CpuEntry | None, int]:
    """Find the processor and how many there are at most."""
    cpu = filed.bundle.rig.cpu
    entry = find_cpu(catalog, cpu.model) if cpu.model else None
    return entry, cpu.sockets or (entry.sockets_max if entry else 1)


def paper_gbps(bundle: Bundle) -> float | None:
    """Give the bandwidth on paper: channels x MT/s x 8 bytes; None where one is not told.

    Where the populated channels are not told, all channels count.
    """
    memory = bundle.rig.memory
    channels = memory.channels_populated or memory.channels_total
    return channels * memory.mts * 8 / 1000 if channels and memory.mts else None


@rule("error")
def no_more_channels_than_the_socket(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A processor has no more memory channels than the catalogue's entry of it."""
    entry, sockets = _cpu(filed, catalog)
    memory = filed.bundle.rig.memory
    for field in ("channels_populated", "channels_total"):
        channels = getattr(memory, field)
        if entry and channels and channels > sockets * entry.channels:
            yield (
                f"rig.memory.{field}",
                (
                    f"{sockets} x {entry.name} have {sockets * entry.channels} channels, got"
                    f" {channels}; slots are not channels: correct it, or the number of sockets"
                ),
            )


@rule("error")
def memory_of_the_socket(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A processor takes the kind of memory that its controller speaks."""
    entry, _ = _cpu(filed, catalog)
    kind = filed.bundle.rig.memory.kind
    if not entry or not kind or kind.upper() not in RATES_MTS:
        return
    # Multiplexed-rank modules go into DDR5 sockets.
    spoken = "DDR5" if kind.upper() == "MRDIMM" else kind.upper()
    if spoken not in entry.memory.upper():
        yield "rig.memory.kind", f"{entry.name} takes {entry.memory}, got {kind}; correct one"


@rule("flag")
def rate_of_the_memory(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A module runs at a transfer rate of its kind."""
    memory = filed.bundle.rig.memory
    low, high = RATES_MTS.get((memory.kind or "").upper(), (0.0, float("inf")))
    if memory.mts and not low <= memory.mts <= high:
        yield (
            "rig.memory.mts",
            (
                f"{memory.kind} runs at {low:g} to {high:g} MT/s, got {memory.mts:g};"
                " MHz are half of MT/s: read the configured rate again"
            ),
        )


_MODULES = re.compile(
    r"^(\d+)(?:\s*[x\u00d7]\s*(\d+)\s*GB?| of (\d+) slots| DIMMs?)?\b", re.IGNORECASE
)


def _modules(dimms: str | None) -> tuple[int | None, int | None, int | None]:
    """Read `8x16GB`, `7 of 8 slots`, `8 DIMMs` or `8`: modules, GB of each, slots."""
    found = _MODULES.match(dimms or "")
    if not found:
        return None, None, None
    number, size, slots = (int(part) if part else None for part in found.groups())
    return number, size, slots


@rule("error")
def modules_fit_the_board(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """There are no more modules than slots, and no fewer than populated channels."""
    memory = filed.bundle.rig.memory
    count, _size, slots = _modules(memory.dimms)
    if count is None:
        return
    if slots is not None and count > slots:
        yield "rig.memory.dimms", f"{count} modules do not fit {slots} slots; correct one"
    populated = memory.channels_populated
    if populated and count < populated:
        yield (
            "rig.memory.dimms",
            f"{count} modules cannot populate {populated} channels; correct one",
        )
    if memory.channels_total and count > DIMMS_PER_CHANNEL * memory.channels_total:
        yield (
            "rig.memory.dimms",
            (
                f"{count} modules do not fit {memory.channels_total} channels, at most"
                f" {DIMMS_PER_CHANNEL} on each; correct one"
            ),
        )


@rule("flag")
def modules_add_up(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """The modules together are the memory that the system sees, less what firmware keeps."""
    memory = filed.bundle.rig.memory
    count, size, _slots = _modules(memory.dimms)
    if count and size and memory.gib:
        fitted = count * size
        if not RAM_SHORT_OF_MODULES * fitted <= memory.gib <= fitted:
            yield (
                "rig.memory.gib",
                (
                    f"{memory.dimms} are {fitted} GiB, got {memory.gib:g}; correct one, or say"
                    " which part a guest gets"
                ),
            )


@rule("flag")
def bandwidth_within_paper(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No bandwidth is above channels x MT/s x 8 bytes; what is came out of a cache."""
    paper = paper_gbps(filed.bundle)
    for i, figure in enumerate(filed.bundle.rig.memory.bandwidth):
        told = figure.gbps or figure.high
        if paper and told and told > BANDWIDTH_SLACK * paper:
            yield (
                f"rig.memory.bandwidth[{i}]",
                (
                    f"{told:g} GB/s are more than the {paper:g} GB/s of the channels and rate told;"
                    " use a larger array, or correct channels and rate"
                ),
            )


@rule("flag")
def cores_of_the_cpu(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A processor has no more cores than the catalogue's entry of it."""
    entry, sockets = _cpu(filed, catalog)
    cpu = filed.bundle.rig.cpu
    if entry and cpu.cores and cpu.cores > sockets * entry.cores:
        yield (
            "rig.cpu.cores",
            (
                f"{sockets} x {entry.name} have {sockets * entry.cores} cores, got {cpu.cores};"
                " threads are not cores"
            ),
        )


@rule("flag")
def threads_within_the_cpu(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run has no more threads than logical CPUs: over-subscribed workers wait for each other."""
    entry, sockets = _cpu(filed, catalog)
    logical = filed.bundle.rig.cpu.threads or (entry.threads * sockets if entry else None)
    for i, run in enumerate(filed.bundle.runs):
        threads = run.launch.threads
        if logical and threads and threads > logical:
            yield (
                f"runs[{i}].launch.threads",
                f"{threads} threads on {logical} logical CPUs; launch with at most the cores",
            )


@rule("error")
def video_memory_within_the_cards(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No more video memory is in use than the cards have."""
    sizes = [gpu.vram_mib for gpu in cards(filed.bundle)]
    if not sizes or None in sizes:
        return
    total = sum(filter(None, sizes)) / 1024
    for at, _run, m in measurements(filed.bundle):
        if m.quantity in ("vram", "vram_peak") and m.value is not None and m.value > total:
            yield (
                f"{at}.value",
                f"{m.value:g} GiB do not fit the {total:g} GiB of {len(sizes)} cards; MiB?",
            )


@rule("flag")
def spread_is_not_zero(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """Repeats of a timing differ: a deviation of exactly zero is a copied or computed number."""
    for at, _run, m in measurements(filed.bundle):
        timed = m.unit in ("tokens/s", "ms", "s")
        if timed and m.n and m.n >= FEW and m.value and m.sd == 0:
            yield f"{at}.sd", f"is 0 over {m.n} runs; give the spread as measured, or leave it out"


@rule("note")
def spread_rounded_away(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A variation printed as 0.0 % was rounded: its size is unknown, not nought."""
    for at, _run, m in measurements(filed.bundle):
        if m.n and m.n >= FEW and m.value and m.cv == 0 and m.sd != 0:
            yield f"{at}.cv", f"is 0 over {m.n} runs: below what the source prints"

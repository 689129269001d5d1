"""What a run says of itself: tokens a pass, clocks, memory, build. Rules like those of `rules.py`.

Each holds two things that the same run tells against each other.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from ingest.bundle import Bundle, Drafter, Measurement, Run
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.plausible import cards, measurements
from ingest.rules import Finding, rule

WINDOW_SLACK = 1.1
"""Acceptance and tokens a pass are often printed from windows that differ a little."""

CLOCK_SLACK = 1.02
"""Rates are printed to about one part in a hundred, and the two clocks are read apart."""

FIRST_BUILD = {"--n-cpu-moe": 6089, "-ncmoe": 6089, "--cpu-moe": 6089, "-cmoe": 6089}
"""First llama.cpp build with a flag: ggml-org/llama.cpp#15077, released as b6089."""

BUILD = re.compile(r"\bb(\d{3,6})\b|\((\d{3,6})\)")
"""llama.cpp numbers its builds by commit, `b10236` or `08a216474 (6457)`; forks count apart."""


class Yielded(NamedTuple):
    """Tokens that a pass yielded, as told, beside the depth and acceptance of its drafter."""

    place: str
    tokens: float
    depth: int
    acceptance: float | None


def _yields(bundle: Bundle) -> Iterator[Yielded]:
    for at, run, m in measurements(bundle):
        drafter = run.launch.drafter
        depth = drafter.depth if isinstance(drafter, Drafter) else None
        if m.quantity == "tokens_per_pass" and m.value is not None and depth is not None:
            yield Yielded(f"{at}.value", m.value, depth, _acceptance(run, m))


def _acceptance(run: Run, beside: Measurement) -> float | None:
    same = (beside.workload, beside.protocol)
    rates = (m.value for m in run.measurements if m.quantity == "acceptance"
             and (m.workload, m.protocol) == same)  # fmt: skip
    return next(rates, None)


@rule("error")
def no_more_tokens_than_drafted(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A pass yields no more than its drafted tokens and one of its own."""
    for place, tokens, depth, _rate in _yields(filed.bundle):
        if tokens > 1 + depth:
            yield (
                place,
                f"{tokens:g} tokens a pass from {depth} drafted; at most {1 + depth}: correct one",
            )


@rule("flag")
def acceptance_explains_the_passes(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A pass yields no more than 1 + acceptance x depth; less where the drafter stops early."""
    for place, tokens, depth, rate in _yields(filed.bundle):
        if rate is not None and 1 + depth >= tokens > WINDOW_SLACK * (1 + rate * depth):
            yield (
                place,
                (
                    f"{tokens:g} tokens a pass, but an acceptance of {rate:g} at depth {depth}"
                    f" yields at most {1 + rate * depth:.2f}; are the windows the same?"
                ),
            )


@rule("flag")
def wall_below_decode(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """The rate over a whole request is no higher than the rate after its first token."""
    decode = {
        (run.id, m.workload, m.protocol, m.context_tokens, m.nominal_tokens, m.streams): m.value
        for _at, run, m in measurements(filed.bundle)
        if m.quantity == "decode"
    }
    for at, run, m in measurements(filed.bundle):
        key = (run.id, m.workload, m.protocol, m.context_tokens, m.nominal_tokens, m.streams)
        after = decode.get(key)
        if m.quantity == "wall" and m.value and after and m.value > CLOCK_SLACK * after:
            yield f"{at}.value", f"wall {m.value:g} is above decode {after:g}; are they swapped?"


@rule("error")
def process_within_the_memory(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No more host memory is resident than the machine has."""
    gib = filed.bundle.rig.memory.gib
    for at, _run, m in measurements(filed.bundle):
        if m.quantity == "host_ram" and gib and m.value and m.value > gib:
            yield f"{at}.value", f"{m.value:g} GiB do not fit {gib:g} GiB of memory; MiB or GB?"


@rule("flag")
def weights_fit_the_memory(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """The weights fit host and video memory together; what does not is read from disk, slowly."""
    rig = filed.bundle.rig
    sizes = [gpu.vram_mib for gpu in cards(filed.bundle)]
    if rig.memory.gib is None or rig.gpus is None or None in sizes:
        return
    room = rig.memory.gib + sum(filter(None, sizes)) / 1024
    for i, run in enumerate(filed.bundle.runs):
        gib = _weights_gib(run, catalog)
        offload = run.launch.offload
        held = rig.memory.gib if offload and offload.kind == "cpu-only" else room
        if run.outcome.state == "ok" and gib and gib > held:
            yield (
                f"runs[{i}].weights",
                (
                    f"{gib:.0f} GiB of weights in {held:.0f} GiB of memory: the rest is paged from"
                    " disk; flag the run in status.jsonl"
                ),
            )


def _weights_gib(run: Run, catalog: Catalog) -> float | None:
    """Give the size of the weights: as told, else the catalogue's routed experts."""
    if run.weights.gib:
        return run.weights.gib
    model = catalog.models.get(run.weights.model or "")
    variant = model.variant(run.weights.quant or "") if model else None
    return model.routed_mib[variant.quant] / 1024 if model and variant else None


@rule("flag")
def build_has_its_flags(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """An engine build is no older than a flag that its launch uses, nor than its slug's floor."""
    for i, run in enumerate(filed.bundle.runs):
        build = build_number(run.engine.build)
        if run.engine.name != "llama.cpp" or build is None:
            continue
        for word in run.launch.argv or ():
            first = FIRST_BUILD.get(word.partition("=")[0])
            if first and build < first:
                yield (
                    f"runs[{i}].engine.build",
                    (
                        f"b{build} is older than {word.partition('=')[0]}, which came with"
                        f" b{first}; correct the build or the launch line"
                    ),
                )
        slug = catalog.slugs.get(run.slug or "")
        floor = build_number(slug.engine_floor) if slug else None
        if slug and floor and build < floor:
            yield (
                f"runs[{i}].engine.build",
                (
                    f"b{build} is older than b{floor}, the floor of {slug.id};"
                    " correct the build, or set slug to null"
                ),
            )


def build_number(build: str | None) -> int | None:
    """Read llama.cpp's build number out of a build as stated; None if there is none."""
    found = BUILD.search(build or "")
    return int(found.group(1) or found.group(2)) if found else None


@rule("flag")
def file_of_the_quant(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A file that names a quant names the one told: the name of a container is no proof."""
    names = sorted(catalog.quants, key=len, reverse=True)
    for i, run in enumerate(filed.bundle.runs):
        file = PurePosixPath(run.weights.file or "").name
        told = run.weights.quant
        if not file or not told:
            continue
        named = next((quant for quant in names if _stands_in(quant, file)), None)
        if named and named != told:
            yield f"runs[{i}].weights.file", f"names {named}, but quant is {told}; correct one"


def _stands_in(quant: str, file: str) -> bool:
    whole = rf"(?<![A-Za-z0-9_]){re.escape(quant)}(?![A-Za-z0-9_])"
    return re.search(whole, file, re.IGNORECASE) is not None

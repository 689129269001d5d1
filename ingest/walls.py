"""Speeds against physics: rules that no row may break, whatever the engine.

Every bound takes the case that is kindest to the row: the fewest bytes that a pass can read, the
most tokens that it can yield, the fastest that the parts can go. What passes such a bound is
impossible, or something told about the row is wrong; what passes a measured one is doubtful.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ingest.bundle import Bandwidth, Bundle, Drafter, ExpertCache, Measurement, Run
from ingest.catalog import Catalog, ModelEntry, Variant
from ingest.folder import Filed
from ingest.hardware import find_gpu
from ingest.plausible import cards, measurements, paper_gbps
from ingest.rules import Finding, rule

GIB_GB = 1.073741824
"""1 GiB in GB."""

SPEEDS = ("decode", "wall", "decode-engine")

MEASURED_SLACK = 1.25
"""Within one method a machine's figure repeats to about this factor over days, boots and heat."""


class Pass(NamedTuple):
    """One pass of a run: its least bytes by place in GB, and the most tokens it yields."""

    host_gb: float
    cards_gb: float
    tokens: float


def most_tokens(run: Run, workload: str | None) -> float | None:
    """Give the most tokens that a pass can yield; None where a drafter's depth is unknown.

    The tokens a pass of this workload, where told; else 1 + accepted; else 1 + drafted.
    """
    drafter = run.launch.drafter
    if not isinstance(drafter, Drafter):
        # Nothing told about a drafter is not "no drafter".
        return 1.0 if drafter is not None else None
    if drafter.depth is None:
        return None
    told = {
        m.quantity: m.value
        for m in run.measurements
        if m.workload == workload and m.value is not None
    }
    if "tokens_per_pass" in told:
        return told["tokens_per_pass"]
    return 1 + drafter.depth * told.get("acceptance", 1.0)


def _hits(run: Run) -> float | None:
    """Give the share of host experts that a GPU cache served; None where it is unknown."""
    cache = run.launch.expert_cache
    if not isinstance(cache, ExpertCache):
        return 0.0 if cache is not None else None
    rates = [m.value for m in run.measurements if m.quantity.startswith("hit_rate")]
    known = [rate for rate in rates if rate is not None]
    return max(known) if known else None


def _host_share(run: Run, model: ModelEntry) -> float | None:
    """Give the least share of the routed experts that lies in host memory; None if unknown."""
    offload = run.launch.offload
    if offload is None:
        return None
    if offload.kind == "cpu-only":
        return 1.0
    if offload.kind == "resident":
        return 0.0
    if offload.layers_on_cpu is not None and model.moe_layers:
        return min(offload.layers_on_cpu / model.moe_layers, 1.0)
    return None


def one_pass(run: Run, workload: str | None, model: ModelEntry, variant: Variant) -> Pass | None:
    """Price a pass of one verified token: union growth and a drafter only add to it."""
    tokens, hits, share = most_tokens(run, workload), _hits(run), _host_share(run, model)
    bundles = model.routed_mib[variant.quant] / 1024 * GIB_GB
    if None in (tokens, hits, share) or not model.experts or not model.experts_per_token:
        return None
    routed = bundles * model.experts_per_token / model.experts
    dense = (variant.dense_gib or 0.0) * GIB_GB
    cpu_only = run.launch.offload is not None and run.launch.offload.kind == "cpu-only"
    host = routed * (share or 0.0) * (1 - (hits or 0.0))
    return Pass(
        host_gb=host + (dense if cpu_only else 0.0),
        cards_gb=0.0 if cpu_only else dense + routed * (1 - (share or 0.0)),
        tokens=tokens or 1.0,
    )


def _one_stream(m: Measurement) -> bool:
    return m.quantity in SPEEDS and m.streams in (None, 1) and m.value is not None


def _passes(bundle: Bundle, catalog: Catalog) -> Iterator[tuple[str, float, Pass]]:
    """List (place, passes/s, least bytes) of every single-stream speed that can be priced."""
    for at, run, m in measurements(bundle):
        model = catalog.models.get(run.weights.model or "")
        variant = model.variant(run.weights.quant or "") if model else None
        if not model or not variant or not _one_stream(m) or m.value is None:
            continue
        priced = one_pass(run, m.workload, model, variant)
        if priced:
            yield f"{at}.value", m.value / priced.tokens, priced


@rule("error")
def slower_than_the_memory(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """The bytes read from host memory a second are no more than its channels carry on paper."""
    paper = paper_gbps(filed.bundle)
    for at, passes, one in _passes(filed.bundle, catalog):
        if paper and passes * one.host_gb > paper:
            yield (
                at,
                (
                    f"reads at least {passes * one.host_gb:.0f} GB/s from memory that carries"
                    f" {paper:.0f}; name the weights, the placement or the drafter as they were"
                ),
            )


@rule("flag")
def slower_than_the_measured_memory(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """The bytes read a second are no more than the machine's own figure, as its method counts."""
    best = _best_read(filed.bundle.rig.memory.bandwidth, catalog)
    for at, passes, one in _passes(filed.bundle, catalog):
        if best and passes * one.host_gb > MEASURED_SLACK * best[0]:
            yield (
                at,
                (
                    f"reads at least {passes * one.host_gb:.0f} GB/s, above the {best[0]:.0f} GB/s"
                    f" that {best[1]} stands for; was it measured under load, or on one socket?"
                ),
            )


def _best_read(figures: tuple[Bandwidth, ...], catalog: Catalog) -> tuple[float, str] | None:
    """Find the highest read bandwidth that an unloaded measurement of the machine stands for."""
    reads = [
        (told * method.reads_per_gbps, method.id)
        for figure in figures
        if not figure.under_load and (method := catalog.bandwidth.get(figure.method))
        if method.measured and (told := figure.high or figure.gbps)
    ]
    return max(reads, default=None)


@rule("error")
def slower_than_the_cards(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """The bytes read from video memory a second are no more than all cards together carry."""
    entries = [find_gpu(catalog, gpu.name) for gpu in cards(filed.bundle)]
    rated = [entry.bandwidth_gbps for entry in entries if entry]
    if not entries or len(rated) < len(entries):
        return
    for at, passes, one in _passes(filed.bundle, catalog):
        if passes * one.cards_gb > sum(rated):
            yield (
                at,
                (
                    f"reads at least {passes * one.cards_gb:.0f} GB/s from cards that carry"
                    f" {sum(rated):.0f} together; name weights and drafter as they were"
                ),
            )


@rule("error")
def prefill_within_compute(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """Two operations a weight and token: prefill is no faster than all cards together compute."""
    entries = [find_gpu(catalog, gpu.name) for gpu in cards(filed.bundle)]
    tops = [entry.peak_tops for entry in entries if entry and entry.peak_tops]
    if not entries or len(tops) < len(entries):
        return
    for at, run, m in measurements(filed.bundle):
        active_b = _active_b(catalog.models.get(run.weights.model or ""))
        if m.quantity.startswith("prefill") and active_b and m.value and m.streams in (None, 1):
            needed = 2 * active_b * m.value / 1000
            if needed > sum(tops):
                yield (
                    f"{at}.value",
                    (
                        f"needs {needed:.0f} TOPS of cards that have {sum(tops):.0f}; was the"
                        " prompt served from a cache?"
                    ),
                )


def _active_b(model: ModelEntry | None) -> float | None:
    """Give the weights that a token multiplies with, in 1e9; None where it is unknown."""
    if model is None or model.kind == "dense":
        return model.parameters_b if model else None
    known = (model.moe_layers, model.hidden, model.expert_ffn, model.experts_per_token)
    if None in known or model.always_active_b is None:
        return None
    width = (model.expert_hidden or model.hidden or 0) * (model.expert_ffn or 0)
    routed = width * model.expert_matrices * (model.experts_per_token or 0)
    return model.always_active_b + routed * (model.moe_layers or 0) / 1e9

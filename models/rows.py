"""The rows that are fitted and scored: figures of the database as `Inputs` of one pass.

What a run does not state is filled by rule, from inputs alone; a row whose weights, bandwidth or
cores are unknown cannot be priced and says why.
"""

from math import floor
from typing import Any, NamedTuple

from models.drafting import accepted_share, default_alpha
from models.expert_cache import hit_rate_of, pool_gib
from models.facts import GB_PER_GIB, GB_PER_MIB, Facts, variant_key, variant_of
from models.parameters import CORE_SPEED, RATED
from models.physics import Inputs
from models.request import Request
from models.rig import Cards, Rig
from models.setup import BARE, Target, base_inputs, bundles_of, placement, stratum_of

SPLIT = {
    "dspark": {"narrative": 0.71, "code": 1.5},
    "dflash2": {"narrative": 0.86, "code": 1.1},
}
"""Acceptance by prompt against the mean over both, where a run states only the mean.

By drafter, as the runs that state both have it; other drafters follow the second, the milder.
"""

FITTER_SHARE = 0.9
"""Share of VRAM that an engine's own fitter fills with weights."""


class FitRow(NamedTuple):
    """One measured decode speed with its inputs.

    `accepted` and `hit_rate` are None where the run does not state them: the inputs then hold a
    default. `excluded` lists the rules that keep the row out of fit and score.
    """

    measurement_id: str
    rig: str
    state: str
    slug: str | None
    variant: str
    model: str
    quant: str
    workload: str
    protocol: str
    url: str
    tokens_per_s: float
    stratum: str
    measured_bandwidth: bool
    drafter: str | None
    accepted: float | None
    hit_rate: float | None
    coverage: float | None
    cores: float
    vram_gib: float
    inputs: Inputs
    excluded: tuple[str, ...]


class Unusable(NamedTuple):
    """A row that cannot be priced, and why."""

    measurement_id: str
    rig: str
    reason: str


def fit_row(row: dict[str, Any], facts: Facts, defaults: Facts) -> FitRow | Unusable:
    """Turn a row of `features.sql` into inputs."""
    name = variant_key(row["model"] or "?", row["quant"] or "?")
    variant = variant_of(facts, row["model"], row["quant"])
    gbps, method = _bandwidth(row, facts)
    cores, threads = row["cores"] or row["threads"], row["threads"] or row["cores"]
    reason = (
        "no bytes known of its weights"
        if variant is None
        else "no bandwidth: neither measured nor channels and MT/s"
        if not gbps
        else "no core or thread count"
        if not cores
        else None
    )
    if reason or variant is None or gbps is None:
        return Unusable(row["measurement_id"], row["rig_id"], reason or "")
    target = Target(row["slug"], _launch(row, facts), variant)
    cards = _cards(row, facts, target)
    layers = _layers_on_cpu(row, target, cards)
    kind, depth = _drafter(row, target)
    accepted = _accepted(row, kind, depth)
    cache_on = bool(cards.number) and _cached(row, target)
    coverage = _coverage(row, target, cards, layers, depth) if cache_on else None
    rig = Rig(
        gbps=gbps,
        method=method,
        measured=row["gbps"] is not None,
        sockets=row["sockets"],
        cores=cores,
        core_speed=row["core_speed"] or CORE_SPEED,
        intel=int(_intel(row)),
        cards=cards,
        ram_gib=row["memory_gib"],
    )
    inputs = base_inputs(target, rig, facts, cards, layers)._replace(
        verified=1.0 + depth,
        drafted=float(depth),
        drafter_on_cpu=float(_drafter_on_cpu(row, target)),
        busy_cores=float(min(threads, cores)),
        cache_on=float(cache_on),
        context_10k=row["context_tokens"] / 10_000,
    )
    if row["repacked"]:
        inputs = inputs._replace(kernel=facts["kernels"].index("r4"))
    return with_defaults(
        FitRow(
            measurement_id=row["measurement_id"],
            rig=row["rig_id"],
            state=row["state_id"],
            slug=row["slug"],
            variant=name,
            model=row["model"],
            quant=row["quant"],
            workload=row["workload"] or "other",
            protocol=row["protocol"],
            url=row["source_url"],
            tokens_per_s=row["tokens_per_s"],
            stratum=stratum_of(cpu_only=cards.number == 0, drafted=depth > 0, cached=cache_on),
            measured_bandwidth=rig.measured,
            drafter=kind if depth else None,
            accepted=accepted,
            hit_rate=row["hit_rate"] if cache_on else None,
            coverage=coverage,
            cores=float(cores),
            vram_gib=float(sum(cards.vram_gib)),
            inputs=inputs,
            excluded=tuple(row["rules"]),
        ),
        defaults,
    )


def with_defaults(row: FitRow, defaults: Facts) -> FitRow:
    """Fill acceptance and hit rate: as stated, else as `defaults` have it."""
    x = row.inputs
    accepted, hit_rate = row.accepted, row.hit_rate
    depth = round(x.drafted)
    if depth and accepted is None:
        alpha, _ = default_alpha(defaults["acceptance"], row.drafter or "other", row.workload)
        accepted = accepted_share(alpha, depth)
    if x.cache_on and hit_rate is None:
        hit_rate = hit_rate_of(defaults["hit_rate"], row.model, row.coverage or 0.0)
    return row._replace(
        inputs=x._replace(tokens_per_pass=1 + depth * (accepted or 0.0), hit_rate=hit_rate or 0.0)
    )


def _launch(row: dict[str, Any], facts: Facts) -> dict[str, Any]:
    return facts["slugs"].get(row["slug"]) or {
        **BARE, "model": row["model"], "quant": row["quant"]
    }  # fmt: skip


def _bandwidth(row: dict[str, Any], facts: Facts) -> tuple[float | None, str]:
    if row["gbps"]:
        return row["gbps"], row["method"]
    platform = row["platform"] or ("desktop" if (row["channels"] or 8) <= 2 else "server")
    rated = row["rated_gbps"]
    cap = facts["cpus"][row["cpu"]]["read_cap_gbps"] if row["cpu"] else None
    if rated and cap:
        rated = min(rated, cap * row["sockets"] / RATED[platform])
    return rated, f"rated-{platform}"


def _intel(row: dict[str, Any]) -> bool:
    if row["intel"] is not None:
        return bool(row["intel"])
    return any(word in (row["cpu_model"] or "").casefold() for word in ("intel", "xeon"))


def _cards(row: dict[str, Any], facts: Facts, target: Target) -> Cards:
    """Read the cards of a run; an offloading run that names none gets its slug's reference card."""
    number = row["gpus"]
    if row["offload"] == "cpu-only" or number == 0:
        return Cards("none", 1.0, ())
    reference = facts["gpus"][target.launch["gpu"]]
    number = number or target.launch["cards"]
    vram = row["vram_gib"] / row["cards"] if row["vram_gib"] else None
    gbps = row["gpu_gbps"] or reference["gbps"]
    return Cards(row["gpu_name"] or "?", gbps, (vram or reference["vram_gib"],) * number)


def _layers_on_cpu(row: dict[str, Any], target: Target, cards: Cards) -> int:
    """Take the layers that the run states, else place them as the slug or a fitter would."""
    all_layers: int = target.variant["moe_layers"]
    if not cards.number:
        return all_layers
    if row["layers_on_cpu"] is not None:
        return int(min(all_layers, row["layers_on_cpu"]))
    if row["offload"] in {"fit", "layers"}:
        room = FITTER_SHARE * sum(cards.vram_gib) - target.variant["dense_gb"] / GB_PER_GIB
        taken: int = floor(max(0.0, room) * 1024 / target.variant["bundle_mib"])
        return max(0, all_layers - taken)
    drafted = row["drafter"] != "none" and target.launch["drafter"] is not None
    return len(placement(target, Request(), cards, drafter=drafted).on_cpu)


def _drafter(row: dict[str, Any], target: Target) -> tuple[str | None, int]:
    """Name the drafter and its depth; n-gram drafting counts as none, its gain is the prompt's."""
    own = target.launch["drafter"]
    kind = row["drafter"] or (own["kind"] if own else "none")
    if kind == "none" or kind.startswith("ngram"):
        return None, 0
    depth = row["drafter_depth"]
    if depth is None:
        depth = own["depth"] if own else 0
    return kind, depth


def _drafter_on_cpu(row: dict[str, Any], target: Target) -> bool:
    own = target.launch["drafter"]
    device = row["drafter_device"] or (own["device"] if own else None)
    if device is None:  # an expert cache needs its drafter on the host (engine rule)
        return bool(row["offload"] == "cpu-only" or row["expert_cache"] == "on")
    return bool(device == "cpu")


def _accepted(row: dict[str, Any], kind: str | None, depth: int) -> float | None:
    if not depth:
        return None
    if row["tokens_per_pass"]:
        return float((row["tokens_per_pass"] - 1) / depth)
    if row["acceptance"] is not None:
        return float(row["acceptance"])
    if row["acceptance_of_run"] is not None:
        share = SPLIT.get(kind or "", SPLIT["dflash2"]).get(row["workload"], 1.0)
        return float(min(0.95, row["acceptance_of_run"] * share))
    return None


def _cached(row: dict[str, Any], target: Target) -> bool:
    if row["expert_cache"] is not None:
        return bool(row["expert_cache"] == "on")
    return bool(row["slug"] and target.launch["expert_cache"])


def _coverage(
    row: dict[str, Any], target: Target, cards: Cards, layers: int, depth: int
) -> float | None:
    """Say what share of the experts on the host the cache's pool holds, as stated or estimated."""
    host_mib = sum(list(bundles_of(target.variant).values())[-layers:]) if layers else 0.0
    if not host_mib:
        return None
    pool_mib = row["cache_mib"]
    if pool_mib is None:
        ctx_tokens = row["ctx"] or target.launch["ctx"] or 32_768
        pinned_mib = sum(bundles_of(target.variant).values()) - host_mib
        pool = pool_gib(target.variant, cards.vram_gib, ctx_tokens, drafter=depth > 0)
        pool_mib = max(0.0, pool * 1024 - pinned_mib)
    room_mib = 1024 * sum(cards.vram_gib) - target.variant["dense_gb"] / GB_PER_MIB
    return float(min(pool_mib, room_mib) / host_mib)

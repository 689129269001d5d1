"""What is run: a variant as a slug (or nobody) launches it on a rig, as `Inputs` of one pass."""

from math import ceil, floor, log2
from typing import Any, NamedTuple

from ingest.misuse import Misuse
from launch.gate import host_need
from launch.placement import Costs, Placement, free_mib, place, place_window
from models.answer import Caution
from models.drafting import accepted_share, default_alpha
from models.expert_cache import hit_rate_of, pool_gib
from models.facts import Facts
from models.physics import Inputs
from models.request import Request
from models.rig import Cards, Rig

STRATA = ("club", "hybrid", "cpu-only")
"""Classes of rows, by inputs: errors are scored by class."""


class Target(NamedTuple):
    """A slug, or a bare variant (`slug` is None), with its facts."""

    slug: str | None
    launch: dict[str, Any]
    variant: dict[str, Any]


class Setup(NamedTuple):
    """One configuration, ready to be priced; `doubts` maps assumed inputs to their spread."""

    inputs: Inputs
    stratum: str
    threads: int
    layers_on_cpu: int
    depth: int
    acceptance: float | None
    hit_rate: float | None
    host_ram_gib: float
    inferred: tuple[str, ...]
    doubts: dict[str, float]
    cautions: tuple[Caution, ...]


BARE = {
    "cards": 1, "gpu": "rtx-3090", "ctx": None, "ubatch": None, "drafter": None,
    "expert_cache": False, "residency": None, "host_ram_gib": None,
    "engine": None, "status": "unknown",
}  # fmt: skip
"""How a variant without a slug is taken to run: one 24 GB card, experts in host memory."""


def setup_of(target: Target, rig: Rig, request: Request, facts: Facts, defaults: Facts) -> Setup:
    """Work out placement, drafter and cache, and from them the inputs of one pass."""
    inferred: list[str] = []
    cards = rig.cards
    if cards is None:
        cards = reference_cards(target, facts)
        inferred.append("gpus")
    cpu_only = cards.number == 0
    depth, drafter = _drafter(target, request)
    placed = placement(target, request, cards, drafter=depth > 0)
    layers = len(placed.on_cpu)
    kind = drafter["kind"] if drafter else "other"
    alpha, draft_sd = default_alpha(defaults["acceptance"], kind, request.workload)
    acceptance = request.acceptance
    if acceptance is None:
        acceptance = accepted_share(alpha, depth)
    cache_on = bool(target.launch["expert_cache"]) and not cpu_only and request.hit_rate != 0
    hit_rate = _hit_rate(target, request, cards, placed, defaults) if cache_on else 0.0
    doubts = dict(rig.doubts)
    if depth and request.acceptance is None:
        inferred.append("acceptance")
        doubts["tokens_per_pass"] = draft_sd
    if cache_on and request.hit_rate is None:
        inferred.append("hit_rate")
        doubts["hit_rate"] = defaults["hit_rate"]["sd"]
    threads = request.threads or rig.cores
    if request.threads is None:
        inferred.append("threads")
    inputs = base_inputs(target, rig, facts, cards, layers)._replace(
        verified=1.0 + depth,
        drafted=float(depth),
        drafter_on_cpu=float(cpu_only or bool(drafter and drafter["device"] == "cpu")),
        tokens_per_pass=1 + depth * acceptance,
        hit_rate=hit_rate,
        cache_on=float(cache_on),
        busy_cores=float(min(threads, rig.cores)),
        context_10k=request.at_tokens / 10_000,
    )
    return Setup(
        inputs=inputs,
        stratum=stratum_of(cpu_only=cpu_only, drafted=depth > 0, cached=cache_on),
        threads=threads,
        layers_on_cpu=layers,
        depth=depth,
        acceptance=acceptance if depth else None,
        hit_rate=hit_rate if cache_on else None,
        host_ram_gib=_host_ram_gib(target, placed, drafted=depth > 0),
        inferred=tuple(inferred),
        doubts=doubts,
        cautions=tuple(_cautions(target, cards, depth)),
    )


def stratum_of(*, cpu_only: bool, drafted: bool, cached: bool) -> str:
    """Name the class of a row, by inputs alone; errors and intervals are kept by class."""
    if cpu_only:
        return "cpu-only"
    return "club" if drafted or cached else "hybrid"


SEVERAL_SOCKETS = "-sockets"
"""What is added to a stratum's name where page placement over sockets decides too."""

INTERVALS = tuple(f"{one}{two}" for one in STRATA for two in ("", SEVERAL_SOCKETS))
"""The classes of intervals."""


def interval_of(stratum: str, inputs: Inputs) -> str:
    """Name the class whose interval a row takes: its stratum, by itself or on several sockets."""
    return stratum + (SEVERAL_SOCKETS if inputs.sockets_log2 > 0 else "")


def reference_cards(target: Target, facts: Facts) -> Cards:
    """Take the cards that the slug was made for."""
    gpu = facts["gpus"][target.launch["gpu"]]
    return Cards(gpu["name"], gpu["gbps"], (gpu["vram_gib"],) * target.launch["cards"])


def bundles_of(variant: Facts) -> dict[int, float]:
    """Map each mixture-of-experts block to the MiB of its routed experts."""
    first, step = variant["first_moe_layer"], variant["moe_layer_step"]
    odd = variant["bundle_mib_by_layer"]
    blocks = range(first, first + step * variant["moe_layers"], step)
    return {block: odd.get(str(block), variant["bundle_mib"]) for block in blocks}


def placement(target: Target, request: Request, cards: Cards, *, drafter: bool) -> Placement:
    """Place the experts: as asked by `cpu_layers`, else by the slug's residency constants."""
    bundles = bundles_of(target.variant)
    if request.cpu_layers is not None and cards.number:
        if request.cpu_layers > len(bundles):
            raise Misuse(
                f"--cpu-layers: {target.variant['model']} has {len(bundles)} layers of experts,"
                f" got {request.cpu_layers}"
            )
        blocks = tuple(bundles)[len(bundles) - request.cpu_layers :]
        host = sum(bundles[block] for block in blocks)
        return Placement((), blocks, sum(bundles.values()) - host, host)
    residency = target.launch["residency"]
    if residency is None or not cards.number:
        return place(bundles, (), Costs())
    draft = residency["draft_mib"] if drafter else 0.0
    costs = Costs(residency["reserve_mib"], draft, residency["first_card_extra_mib"])
    first = residency["first_layer"]
    window = range(first, first + residency["window_layers"])
    return place_window(bundles, window, [free_mib(gib) for gib in cards.vram_gib], costs)


def _drafter(target: Target, request: Request) -> tuple[int, dict[str, Any] | None]:
    own = target.launch["drafter"]
    depth = request.depth if request.depth is not None else (own["depth"] if own else 0)
    return depth, own


def _hit_rate(
    target: Target, request: Request, cards: Cards, placed: Placement, defaults: Facts
) -> float:
    if request.hit_rate is not None:
        return request.hit_rate
    ctx_tokens = request.ctx_tokens or target.launch["ctx"] or 32_768
    pool = pool_gib(
        target.variant, cards.vram_gib, ctx_tokens, drafter=target.launch["drafter"] is not None
    )
    pool_mib = max(0.0, pool * 1024 - placed.pinned_mib)
    coverage = pool_mib / placed.host_mib if placed.host_mib else 0.0
    return hit_rate_of(defaults["hit_rate"], target.variant["model"], coverage)


def base_inputs(target: Target, rig: Rig, facts: Facts, cards: Cards, layers: int) -> Inputs:
    """Fill in weights, memory, cores and cards of a pass without drafter, cache or context."""
    variant = target.variant
    return Inputs(
        routed_gb=variant["routed_gb"],
        routed_gweights=variant["routed_gweights"],
        cpu_share=layers / variant["moe_layers"],
        hit_rate=0.0,
        dense_gb=variant["dense_gb"],
        dense_gweights=variant["dense_gweights"],
        dense_on_cpu=float(cards.number == 0),
        layers_on_cpu=float(layers),
        layers=float(variant["layers"]),
        expert_share=variant["expert_share"],
        verified=1.0,
        drafted=0.0,
        drafter_on_cpu=0.0,
        tokens_per_pass=1.0,
        gbps=rig.gbps,
        method=sorted(facts["methods"]).index(rig.method),
        sockets_log2=log2(rig.sockets),
        busy_cores=float(rig.cores),
        core_speed=rig.core_speed,
        kernel=facts["kernels"].index(variant["kernel"]),
        intel=float(rig.intel),
        gpu_gbps=cards.gbps,
        gpus_log2=log2(max(1, cards.number)),
        gpus_beyond_two=float(max(0, cards.number - 2)),
        cache_on=0.0,
        context_10k=0.0,
    )


def _host_ram_gib(target: Target, placed: Placement, *, drafted: bool) -> float:
    """Take the slug's worst case less what moved to the cards; without one, price the tensors."""
    own = target.launch["drafter"]
    on_host = own["file_gib"] or 0.0 if own and own["device"] == "cpu" else 0.0
    header = target.launch["host_ram_gib"]
    if header is not None:
        moved = floor(placed.pinned_mib / 1024)
        return float(max(1.0, header - moved - (0.0 if drafted else on_host)))
    need = host_need(placed.host_mib, target.variant["embedding_gib"], on_host if drafted else 0.0)
    return float(ceil(need.total_gib))


def _cautions(target: Target, cards: Cards, depth: int) -> list[Caution]:
    cautions = []
    wanted = target.launch["cards"]
    if target.slug and 0 < cards.number < wanted:
        text = f"the slug launches on {wanted} cards, the rig has {cards.number}"
        cautions.append(Caution("few-cards", text, "choose a slug for fewer cards"))
    if depth and not target.launch["drafter"]:
        text = "the slug launches no drafter; cost and acceptance are those of other drafters"
        cautions.append(Caution("no-drafter", text, "leave --depth out, or set --acceptance"))
    if target.variant["inferred"]:
        text = "the bytes of this variant are computed, not read from its file"
        cautions.append(Caution("bytes-inferred", text, "compare with the file's tensor table"))
    return cautions

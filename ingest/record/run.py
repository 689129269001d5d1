"""A collected row → the run it tells of, and its measurements. Field tables stand at the top."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.bundle import (
    OFF,
    Drafter,
    Engine,
    Evidence,
    How,
    Launch,
    Measurement,
    Off,
    Offload,
    Outcome,
    Quality,
    Run,
    Stage,
    Weights,
)
from ingest.catalog import Catalog
from ingest.record import wording
from ingest.record.row import Merged

# Launch fields taken as they stand: bundle field → row key.
_COUNTS = {"threads": "threads", "threads_batch": "threads_batch", "batch": "b", "ubatch": "ub"}

# Row protocol → bundle protocol: of decode and of prefill. Club rows have their own.
_PROTOCOLS = {
    "llama-bench": ("llama-bench-tg", "llama-bench-pp"),
    "sweep-bench": ("sweep-bench", "sweep-bench"),
    "server": ("server-timings", "server-timings"),
    "cli": ("llama-cli", "llama-cli"),
    "sampled": ("club-canonical", "club-prefill"),
    "greedy": ("greedy-completion", "club-prefill"),
    "other": ("other", "other"),
}
_BENCHES = ("llama-bench", "sweep-bench")
_WORKLOADS = {"narrative": "narrative", "code": "code"}
CANONICAL_RUNS = 5
"""Measured runs of the canonical bench; fewer were readable in some sources."""

# Row stage keys are the bundle's.
STAGES = ("verify", "stress", "soak", "bench", "agentic")

# What a row's `inferred` words mean in bundle pointers below the run.
POINTERS = {
    "threads": "/launch/threads",
    "ub": "/launch/ubatch",
    "b": "/launch/batch",
    "ctx": "/launch/ctx",
    "kv_type": "/launch/kv",
    "offload": "/launch/offload",
    "mode": "/launch/offload",
    "drafter": "/launch/drafter",
    "n_max": "/launch/drafter/depth",
    "moe_cache": "/launch/expert_cache",
    "model": "/weights/model",
    "quant": "/weights/quant",
    "gguf_gib": "/weights/gib",
    "slug": "/slug",
    "engine_build": "/engine/build",
    "verdicts": "/stages",
}


class Told(NamedTuple):
    """A run without measurements, the pointers below it that are inferred, and its doubts."""

    run: Run
    inferred: tuple[str, ...]
    doubts: tuple[str, ...]


PAGING = "the weights do not fit the RAM: paging"


def _too_large(one: Merged) -> bool:
    """Tell whether the weights exceed host and video memory together."""
    ram, cards = one.row.get("ram_gb"), one.row.get("gpus") or []
    variant = one.named.variant
    weights_gib = one.row.get("gguf_gib") or (variant.file_gib if variant else None)
    if not ram or not weights_gib or any(not card.get("vram_gib") for card in cards):
        return False
    vram_gib = sum(card["vram_gib"] * int(card.get("count") or 1) for card in cards)
    return bool(weights_gib > ram + vram_gib)


UNREAD = "the source's figures could not be read"


def words_of(row: dict[str, Any]) -> set[str]:
    """List the words of a row's `inferred` entries, keys among them."""
    return {word for entry in row.get("inferred", []) for word in re.findall(r"[a-z_]+", entry)}


def told(one: Merged, catalog: Catalog) -> Told:
    """Read the run of a row; its id is given later, when its bundle is known."""
    row, named = one.row, one.named
    launch, inferred = _launch(one, catalog)
    words = words_of(row)
    inferred += [pointer for word, pointer in POINTERS.items() if word in words]
    run = Run(
        id="run",
        slug=named.slug,
        named=row.get("slug"),
        weights=Weights(
            model=named.model.id if named.model else None,
            quant=named.quant,
            spelled=" ".join(str(row[k]) for k in ("model", "quant") if row.get(k)) or None,
            gib=row.get("gguf_gib"),
        ),
        engine=Engine(name=named.engine, spelled=row.get("engine"), build=row.get("engine_build")),
        launch=launch,
        outcome=_outcome(row),
        stages=_stages(row),
        quality=tuple(_quality(row)),
    )
    doubts = wording.doubts(
        str(row.get("notes") or ""), str(row.get("offload") or ""), row.get("threads")
    )
    doubts += [f"the catalogue maps no {spelling}" for spelling in named.unmapped]
    if named.model is None and not named.unmapped:
        doubts.append("the source names no model")
    if row.get("quant") and named.quant is None and not named.unmapped:
        doubts.append("the source names no single quant")
    if _too_large(one) and PAGING not in doubts:
        doubts.append(PAGING)
    if run.outcome.reason == UNREAD:
        doubts.append(UNREAD)
    return Told(run, tuple(dict.fromkeys(inferred)), tuple(doubts))


def _launch(one: Merged, catalog: Catalog) -> tuple[Launch, list[str]]:
    row, named = one.row, one.named
    slug = catalog.slugs.get(named.slug or "")
    inferred: list[str] = []
    cards = sum(int(group.get("count") or 1) for group in row.get("gpus") or [])
    placed = _placed(one, cards)
    if placed and placed.inferred:
        inferred.append("/launch/offload/layers_on_cpu")
    drafter = wording.drafter(row.get("drafter"))
    if isinstance(drafter, Drafter) and drafter.device is None and slug and slug.drafter:
        drafter = drafter.model_copy(update={"device": slug.drafter.device})
        inferred.append("/launch/drafter/device")
    vram = sum(card.vram_mib or 0 for card in wording.gpus(row.get("gpus")) or ()) or None
    cached = wording.expert_cache(row.get("moe_cache"), named.model, named.variant, vram)
    if cached and cached.inferred:
        inferred.append("/launch/expert_cache/mib")
    numa = row.get("numa")
    offload = placed.offload if placed else None
    launch = Launch(
        **{field: row.get(key) for field, key in _COUNTS.items()},
        ctx=_tokens(row.get("ctx")),
        kv=row.get("kv_type"),
        gpus_used=0 if offload and offload.kind == "cpu-only" else None,
        sockets_used=_sockets_used(row),
        numa=numa,
        offload=offload,
        drafter=drafter,
        expert_cache=cached.cache if cached else _cache_off(one),
    )
    return launch, inferred


def _cache_off(one: Merged) -> Off | None:
    """A community row's engine without a GPU expert cache cannot have had one on."""
    engines = ("llama.cpp", "ik_llama.cpp")
    return OFF if not one.club and one.named.engine in engines else None


def _placed(one: Merged, cards: int) -> wording.Placed | None:
    row = one.row
    text = str(row.get("offload") or "")
    mode = row.get("mode")
    resident = str(row.get("scope") or "").startswith("club-gpu-resident")
    if resident or one.rows[0].file == "club-tables-resident":
        mode = "gpu"
    placed = wording.offload(text, mode, one.named.model, cards)
    granted = _GRANTS.get((one.named.slug or "", _card_gib(row)))
    if placed and placed.offload.kind == "fit" and granted is not None and one.named.model:
        every = one.named.model.moe_layers or 0
        left = placed.offload.model_copy(
            update={"kind": "experts", "layers_on_cpu": every - granted}
        )
        return wording.Placed(left, inferred=True)
    if placed is None and one.named.engine in ("ktransformers", "kt-kernel-sglang"):
        return wording.Placed(Offload(kind="engine-managed"), inferred=True)
    return placed


# What the reference launcher granted where it was seen to: (slug, GiB a card) → layers on cards.
# Calibration points of its own tests and reports (club-3090 preflight tests; issue 931).
_GRANTS: dict[tuple[str, int | None], int] = {
    ("llamacpp/deepseek-flash-dual-iq2", 24): 6,
    ("llamacpp/deepseek-flash-dual-iq2", 32): 15,
    ("llamacpp/deepseek-flash-dual-q8", 24): 0,
    ("llamacpp/deepseek-flash-multi4-q8", 24): 8,
    ("llamacpp-club3090/inkling-small-dual-iq4xs-residency", 24): 8,
}


def _card_gib(row: dict[str, Any]) -> int | None:
    sizes = {group.get("vram_gib") for group in row.get("gpus") or []}
    size = sizes.pop() if len(sizes) == 1 else None
    return int(size) if size else None


_ONE_SOCKET = re.compile(
    r"one socket(?! beats)|single socket|-N 0|cpunodebind=0|one CPU\b", re.IGNORECASE
)


def _sockets_used(row: dict[str, Any]) -> int | None:
    told = " ".join(str(row.get(key) or "") for key in ("numa", "offload", "notes"))
    several = (row.get("sockets") or 1) > 1
    return 1 if several and _ONE_SOCKET.search(told) else None


def _tokens(said: object) -> int | None:
    """Read a context size: a number, `262144` or `256K`; None for anything else."""
    if isinstance(said, int):
        return said or None
    match = re.fullmatch(r"(\d+)\s?([kK]?)", str(said or ""))
    return int(match.group(1)) * (1024 if match.group(2) else 1) if match else None


def _outcome(row: dict[str, Any]) -> Outcome:
    if row.get("decode_tps") or row.get("wall_tps"):
        return Outcome()
    notes = str(row.get("notes") or "")
    if re.search(r"never booted|not run|Listed as", notes):
        return Outcome(state="partial", reason="listed without a run")
    if row.get("bench") == "FAIL" or re.search(r"Boot-failure|Out-of-memory", notes):
        return Outcome(state="failed", stage="bench" if row.get("bench") else None, reason=notes)
    return Outcome(state="partial", reason=UNREAD)


def _stages(row: dict[str, Any]) -> dict[Any, Stage]:
    found = ((name, wording.stage(str(row[name]))) for name in STAGES if row.get(name))
    return {name: stage for name, stage in found if stage is not None}


def _quality(row: dict[str, Any]) -> Iterator[Quality]:
    for passed, thinking in wording.quality(str(row.get("quality") or "")):
        yield Quality(pack="8-pack", passed=passed, total=150, thinking=thinking)


def measurements(one: Merged, evidence: Evidence) -> list[Measurement]:
    """List every number of a row as a measurement of its own."""
    row = one.row
    how: How = "inferred" if "decode_tps" in words_of(row) else "reported"
    said = str(row.get("protocol") or "other")
    decode, prefill = _PROTOCOLS[said]
    if said in ("sampled", "greedy") and not one.club:
        prefill = "other"
    bench = "bench-prompt" if said in _BENCHES else None
    workload = _WORKLOADS.get(str(row.get("workload")), bench)
    common = {"evidence": evidence, "how": how}
    return [
        *_rates(row, decode, workload, common),
        *_prefills(row, prefill, common),
        *_sides(row, decode, workload, common),
    ]


def _rates(
    row: dict[str, Any], protocol: str, workload: str | None, common: dict[str, Any]
) -> Iterator[Measurement]:
    notes = str(row.get("notes") or "")
    runs, boots = row.get("n"), _boots(notes)
    partial = protocol == "club-canonical" and boots is None and runs not in (None, CANONICAL_RUNS)
    if "soak p50" in notes:
        protocol = "club-soak"
    for quantity, key in (("decode", "decode_tps"), ("wall", "wall_tps")):
        value = row.get(key)
        if value is None:
            continue
        spread = wording.spread(notes, float(value))
        alone = quantity == "wall" and protocol == "club-canonical"
        yield Measurement(
            quantity=quantity,
            workload=workload,
            protocol="club-wall" if alone else "club-partial" if partial else protocol,
            context_tokens=row.get("n_kv"),
            value=float(value),
            low=spread.low,
            high=spread.high,
            statistic=spread.statistic or ("median" if boots else None),
            cv=_fraction(row.get("decode_cv")) if quantity == "decode" else None,
            n=runs if not boots else None,
            boots=boots,
            unit="tokens/s",
            **common,
        )


def _boots(notes: str) -> int | None:
    match = re.search(r"(\d+)-boot medians|\b(\d+) boots|medians of (three) boots", notes)
    if match is None:
        return None
    return int(match.group(1) or match.group(2) or 3)


def _fraction(percent: object) -> float | None:
    return round(float(percent) / 100, 6) if isinstance(percent, int | float) else None


def _prefills(row: dict[str, Any], protocol: str, common: dict[str, Any]) -> Iterator[Measurement]:
    told = row.get("prefill_tps")
    depths = told if isinstance(told, dict) else {"": told}
    for depth, value in depths.items():
        if isinstance(value, int | float):
            tokens = re.match(r"\d+", depth)
            yield Measurement(
                quantity="prefill",
                protocol=protocol,
                context_tokens=row.get("n_kv") if not depth else None,
                nominal_tokens=int(tokens.group()) * 1000 if tokens else None,
                value=float(value),
                unit="tokens/s",
                **common,
            )


def _sides(
    row: dict[str, Any], protocol: str, workload: str | None, common: dict[str, Any]
) -> Iterator[Measurement]:
    drafter, cache = row.get("drafter") or {}, row.get("moe_cache") or {}
    cached = cache.get("mib") != 0
    told = [
        ("ttft", row.get("ttft_ms"), "ms", workload),
        ("acceptance", drafter.get("acceptance"), "ratio", _accepted_of(row, workload)),
        ("tokens_per_pass", drafter.get("mean_len"), "tokens", workload),
        ("hit_rate", cache.get("hit") if cached else None, "ratio", workload),
        ("vram", _vram_gib(row), "GiB", None),
        ("host_ram", row.get("host_ram_gib"), "GiB", None),
    ]
    for quantity, value, unit, of in told:
        if isinstance(value, int | float):
            worked_out = quantity == "vram" and value != row.get("vram_gib")
            yield Measurement(
                quantity=quantity,
                workload=of,
                protocol=protocol,
                value=float(value),
                unit=unit,
                **common | ({"how": "inferred"} if worked_out else {}),
            )


def _vram_gib(row: dict[str, Any]) -> float | None:
    """Read the video memory over all cards; a figure a card is multiplied by the cards.

    Where the table does not say, a figure that fits one card is one card's.
    """
    said = row.get("vram_gib")
    groups = row.get("gpus") or []
    cards = sum(int(group.get("count") or 1) for group in groups)
    if not isinstance(said, int | float):
        return None
    scope = str(row.get("vram_scope") or "total")
    largest = max((group.get("vram_gib") or 0 for group in groups), default=0)
    a_card = scope.startswith("per_card") or (scope == "as_printed_gb" and said <= largest)
    return round(said * max(cards, 1), 3) if a_card else float(said)


_OVER_BOTH = re.compile(
    r"[Ss]ame run|over all requests|accepted/drafted|mean 0\.\d+|Acceptance .*mean|first logged"
)


def _accepted_of(row: dict[str, Any], workload: str | None) -> str | None:
    """An acceptance over both prompts is the whole run's: no workload of its own."""
    both = _OVER_BOTH.search(str(row.get("notes") or "")) or row.get("both_workloads")
    return None if both else workload

"""What a collected row's words say: offload, drafter, cache, cards, bandwidth, stages, doubts.

Each table is data, first match wins; what no entry matches stays unknown.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ingest.bundle import (
    OFF,
    Bandwidth,
    Drafter,
    ExpertCache,
    Gpu,
    Off,
    Offload,
    OffloadKind,
    Stage,
)
from ingest.catalog import ModelEntry, Variant

MIB_PER_GIB = 1024

# How many layers' experts a phrase leaves on the cards: pattern → layers (a share of a layer counts
# as one, rounded, for only some of its three matrices).
_ON_CARDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"up\+gate exps of layers (\d+)-(\d+) on GPU"), "two thirds of a range"),
    (re.compile(r"up\+gate exps of (\d+) layers"), "two thirds of a count"),
    (re.compile(r"layers? (\d+) and (\d+) ffn on GPU"), "two"),
    (re.compile(r"layers? (\d+)-(\d+) ffn on GPU"), "range"),
    (re.compile(r"(?:ffn|experts)(?: of)? layers (\d+)-(\d+) (?:on|over|spread)(?! CPU)"), "range"),
    (re.compile(r"layer (\d+) ffn on GPU"), "one"),
    (re.compile(r"(\d+) layers ffn (?:on|over)"), "count"),
    (re.compile(r"residency (?:-ot )?(\d+)\+(\d+)"), "sum"),
    (re.compile(r"(\d+) bundles per card"), "per card"),
    (re.compile(r"blk (\d+)-(\d+) CUDA0, blk (\d+)-(\d+) CUDA1"), "two ranges"),
    (re.compile(r"(\d+) bundles resident"), "count"),
)
_ON_CARDS_COUNT: dict[str, Callable[[list[int]], int]] = {
    "one": lambda _: 1,
    "two": lambda _: 2,
    "count": lambda n: n[0],
    "sum": lambda n: n[0] + n[1],
    "range": lambda n: n[1] - n[0] + 1,
    "two ranges": lambda n: n[1] - n[0] + n[3] - n[2] + 2,
    "two thirds of a range": lambda n: round((n[1] - n[0] + 1) * 2 / 3),
    "two thirds of a count": lambda n: round(n[0] * 2 / 3),
}
_ON_CPU: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"--?n-?cpu-?moe (\d+)|-ncmoe (\d+)"), "count"),
    (re.compile(r"(\d+) of \d+ (?:MoE )?layers (?:of experts )?on CPU"), "count"),
    (re.compile(r"(?:ffn|experts) of layers (\d+)-(\d+) on CPU"), "range"),
    (re.compile(r"(?:ffn|experts) of layers (\d+)\+ on CPU"), "rest"),
    (re.compile(r"(\d+) layers of experts on CPU"), "count"),
)
_ALL_ON_CPU = re.compile(
    r"--cpu-moe|-cmoe\b|exps?=CPU|all routed experts =CPU|rest(?: exps)?\s?=?\s?CPU"
    r"|ffn experts on CPU|_exps\\\.weight=CPU|CPU experts"
)
_SOME_ON_CARDS = re.compile(r"some experts on|extra [\w/ ]*layers on|expert layers on GPU")
# The launcher sized the residency from free VRAM.
_FITTED = re.compile(
    r"residency \(launcher|launcher default|slug default|-fit on|auto fit|residency -ot|"
    r"residency \+|static -ot residency|residency, launcher"
)
_MANAGED = re.compile(
    r"GPU expert ratio|pinned host|UVA|nvme|moe-backend|expert residency 0\.|hybrid \(auto"
    r"|kt kernel|experts per layer GPU|extra experts|expert layers on GPU|CPU offload of experts"
)
_NO_GPU_LAYERS = re.compile(r"-ngl 0\b|CUDA build without -ngl")


class Placed(NamedTuple):
    """An offload, and whether its layer count was worked out rather than stated."""

    offload: Offload
    inferred: bool


def offload(text: str, mode: str | None, model: ModelEntry | None, cards: int) -> Placed | None:
    """Read an offload phrase; `mode` is the row's own word (cpu, hybrid, gpu), if any.

    A hybrid run that names no rule is taken to leave all experts on the CPU, inferred.
    """
    rules = text or None
    kind = _plain_kind(text, mode)
    if kind is not None:
        return Placed(Offload(kind=kind, rules=rules), inferred=False)
    layers = _cpu_layers(text, model, cards)
    if layers is not None:
        stated = _first(_ON_CPU, text) is not None
        found = Offload(kind="experts", layers_on_cpu=layers, rules=rules)
        return Placed(found, inferred=not stated)
    if _FITTED.search(text):
        return Placed(Offload(kind="fit", rules=rules), inferred=False)
    if mode != "hybrid" and not _ALL_ON_CPU.search(text):
        return None
    every = model.moe_layers if model and not _SOME_ON_CARDS.search(text) else None
    return Placed(Offload(kind="experts", layers_on_cpu=every, rules=rules), inferred=True)


def _plain_kind(text: str, mode: str | None) -> OffloadKind | None:
    """Read an offload that needs no layer count."""
    if mode == "cpu" or _NO_GPU_LAYERS.search(text):
        return "cpu-only"
    if text.startswith("none (GPU-resident") or mode == "gpu":
        return "resident"
    return "engine-managed" if _MANAGED.search(text) else None


def _cpu_layers(text: str, model: ModelEntry | None, cards: int) -> int | None:
    on_cpu = _first(_ON_CPU, text)
    every = model.moe_layers if model else None
    if on_cpu is not None:
        how, groups = on_cpu
        if how == "rest":
            if model is None or every is None:
                return None
            return max(model.first_moe_layer + every - max(groups[0], model.first_moe_layer), 0)
        count = groups[0] if how == "count" else groups[1] - groups[0] + 1
        return count if every is None else min(count, every)
    on_cards = _first(_ON_CARDS, text)
    if on_cards is None or every is None:
        return None
    how, numbers = on_cards
    if "range" in how and model is not None:
        # Layers before the first with experts have none to place.
        numbers = [
            max(n, model.first_moe_layer) if i % 2 == 0 else n for i, n in enumerate(numbers)
        ]
    return max(every - _card_layers(how, numbers, cards), 0)


def _card_layers(how: str, numbers: list[int], cards: int) -> int:
    if how == "per card":
        return numbers[0] * max(cards, 1)
    return _ON_CARDS_COUNT[how](numbers)


def _first(
    table: tuple[tuple[re.Pattern[str], str], ...], text: str
) -> tuple[str, list[int]] | None:
    for pattern, how in table:
        match = pattern.search(text)
        if match:
            return how, [int(group) for group in match.groups() if group]
    return None


# Spelled drafter → kind; the device follows from its own words.
_DRAFTERS = (
    ("dspark", "dspark"),
    ("dflash2", "dflash2"),
    ("dflash", "dflash"),
    ("mtp", "mtp"),
    ("ngram", "ngram"),
    ("n-gram", "ngram"),
    ("draft", "draft-model"),
    ("external", "dspark"),
)
_ON_CPU_WORDS = re.compile(r"on (?:host|CPU)\b")
_ON_GPU_WORDS = re.compile(r"on (?:GPU|CUDA)")


def drafter(told: dict[str, Any] | None) -> Drafter | Off | None:
    """Read a row's drafter; None where the row does not speak of one."""
    if not told:
        return None
    spelled = str(told.get("type") or "")
    if spelled.startswith(("none", "off")):
        return OFF
    kind = next((to for word, to in _DRAFTERS if word in spelled.casefold()), None)
    if kind is None:
        return None
    on_cpu, on_gpu = _ON_CPU_WORDS.search(spelled), _ON_GPU_WORDS.search(spelled)
    device: Any = "cpu" if on_cpu or kind == "ngram" else "gpu" if on_gpu else None
    return Drafter(kind=kind, depth=told.get("n_max"), device=device)


_SLOTS = re.compile(r"([\d,+]+) (?:slots|experts)")
_POOLS = re.compile(r"pools ([\d,+]+)")
_RESERVE = re.compile(r"reserve(?:_mb)? (\d+)", re.IGNORECASE)


class Cached(NamedTuple):
    """An expert cache, its slots where stated, and whether its MiB were worked out from them."""

    cache: ExpertCache | Off
    slots: int | None
    inferred: bool


def expert_cache(
    told: dict[str, Any] | None,
    model: ModelEntry | None,
    variant: Variant | None,
    vram_mib: float | None = None,
) -> Cached | None:
    """Read a row's expert cache. A slot holds one matrix of one expert, as the engine counts.

    A count that would not fit all cards' `vram_mib` was of MiB: tables confuse the two.
    """
    if not told:
        return None
    said = told.get("mib")
    if said == 0:
        return Cached(OFF, None, inferred=False)
    text = "" if said is None or isinstance(said, int | float) else str(said)
    slots = _summed(_SLOTS, text)
    pools = _summed(_POOLS, text)
    mib = float(said) if isinstance(said, int | float) else pools
    slot_mib = _slot_mib(model, variant)
    inferred = mib is None and slots is not None and slot_mib is not None
    if inferred and slots is not None and slot_mib is not None:
        mib = round(slots * slot_mib)
        mib = slots if vram_mib is not None and mib > vram_mib else mib
    reserve = _RESERVE.search(text)
    cache = ExpertCache(
        mib=mib, reserve_mib=float(reserve.group(1)) if reserve else None, note=text or None
    )
    return Cached(cache, slots, inferred)


def _summed(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    if match is None:
        return None
    return sum(int(part.replace(",", "")) for part in match.group(1).split("+") if part)


def _slot_mib(model: ModelEntry | None, variant: Variant | None) -> float | None:
    if model is None or variant is None or variant.bundle_mib is None or not model.experts:
        return None
    return variant.bundle_mib / (model.experts * model.expert_matrices)


def gpus(told: list[dict[str, Any]] | None) -> tuple[Gpu, ...] | None:
    """List the cards one by one; a power of `600/575` is one figure a card."""
    if told is None:
        return None
    cards = []
    for group in told:
        count = int(group.get("count") or 1)
        watts = _watts(group.get("power_w"), count)
        cards += [
            Gpu(
                name=str(group.get("model") or "unstated"),
                vram_mib=group["vram_gib"] * MIB_PER_GIB if group.get("vram_gib") else None,
                power_w=watts[index],
                link=str(group["pcie"]) if group.get("pcie") else None,
            )
            for index in range(count)
        ]
    return tuple(cards)


def _watts(said: object, count: int) -> list[float | None]:
    numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", str(said))] if said else []
    if len(numbers) == count:
        return list(numbers)
    return [numbers[0] if len(numbers) == 1 else None] * count


# How a bandwidth figure was measured, from the row's own key, then from its notes.
_METHODS = {"mlc": "mlc-read", "stream": "stream", "theoretical": "rated"}
_METHOD_WORDS = (
    (re.compile(r"OCCT", re.IGNORECASE), "occt-read"),
    (re.compile(r"likwid", re.IGNORECASE), "likwid-load"),
    (re.compile(r"AIDA", re.IGNORECASE), "aida-read"),
    (re.compile(r"\bMLC\b"), "mlc-read"),
    (re.compile(r"Triad", re.IGNORECASE), "stream"),
)


def bandwidth(row: dict[str, Any], *, club: bool) -> Bandwidth | None:
    """Read a row's bandwidth figure with the method it was measured by."""
    gbps = row.get("triad_gbs")
    if gbps is None:
        return None
    probe, notes = str(row.get("triad_probe") or ""), str(row.get("notes") or "")
    if club:
        loaded = "under load" in probe or "model was loaded" in notes
        method = "triad-numpy" if loaded or "numpy" in probe else "triad-v1"
        return Bandwidth(gbps=gbps, method=method, under_load=True if loaded else None)
    stated = _METHODS.get(str(row.get("bandwidth_how")))
    worded = next((to for pattern, to in _METHOD_WORDS if pattern.search(notes)), "other-read")
    return Bandwidth(gbps=gbps, method=stated or worded)


_VERDICTS = (
    (re.compile(r"^(?:PASS|ran)\b"), "pass"),
    (re.compile(r"^FAIL"), "fail"),
    (re.compile(r"^(?:INCONCLUSIVE|timeout)", re.IGNORECASE), "timeout"),
    (re.compile(r"^(?:self-invalidated|ADVISORY)", re.IGNORECASE), "advisory"),
    (re.compile(r"^skipped", re.IGNORECASE), "skipped"),
)
_SHARE = re.compile(r"\b(\d+)/(\d+)\b")


def stage(text: str) -> Stage | None:
    """Read a stage verdict: a word, or checks passed of checks run (`8/9`)."""
    share = _SHARE.search(text)
    passed, total = (int(share.group(1)), int(share.group(2))) if share else (None, None)
    outcome: Any = next((to for pattern, to in _VERDICTS if pattern.search(text)), None)
    if outcome is None and passed is not None and text.startswith(str(passed)):
        outcome = "pass" if passed == total else "fail"
    if outcome is None:
        return None
    ordered = passed is None or total is None or passed <= total
    return Stage(
        outcome=outcome,
        passed=passed if ordered else None,
        total=total if ordered else None,
        note=text,
    )


# Why a row belongs outside the fit, by its own notes. Pattern over notes and offload → reason.
DOUBTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-ser \d|\b[1-7] of 8 experts|half the active experts|\b6 experts"),
     "fewer active experts than the model's default"),
    (re.compile(r"paging|paged from|model larger than RAM|exceeds RAM|\bnvme\b", re.IGNORECASE),
     "the weights do not fit the RAM: paging"),
    (re.compile(r"two sockets do not beat|pathological|cross-socket|stock BIOS snoop|before snoop"),
     "memory far from the threads that read it"),
    (re.compile(r"workers on \d+|over-subscription"), "more threads than cores"),
    (re.compile(r"mis-packed|collapse: "), "tensors packed for the other processor"),
    (re.compile(r"regression when|main branch before PR|main before fix"),
     "a build with a regression"),
    (re.compile(r"ShareGPT throughput"), "throughput over many requests, not one stream"),
    (re.compile(r"poor output quality"), "output described as poor"),
    (re.compile(r"training job on the box|filling? RAM"), "taken beside another job"),
    (re.compile(r"cache still filling|still filling|still climbing|still rising", re.IGNORECASE),
     "the expert cache was still filling: a lower bound"),
    (re.compile(r"negative control|OFFLOAD_MIN_BATCH", re.IGNORECASE), "a negative control"),
    (re.compile(r"Figure removed|Removed later"), "the project removed the figure later"),
    (re.compile(r"Third-hand|Complaint|secondary summary|origin of the figure not given"),
     "told without a procedure, at second hand"),
    (re.compile(r"below 0\.1"), "a bound, not a measurement"),
    (re.compile(r"reasoning accidentally on"), "reasoning was on by accident"),
)  # fmt: skip


def doubts(notes: str, rules: str, threads: int | None = None) -> list[str]:
    """List why a row's own words put it outside the fit."""
    text = f"{notes} {rules}"
    found = [reason for pattern, reason in DOUBTS if pattern.search(text)]
    if "odd thread counts" in notes and threads is not None and threads % 2:
        found.append("an odd thread count, which halves the rate in this sweep")
    return found


_MIDPOINT = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)(?: t/s| tok/s| without|[ ,(;]|$)")
_RANGED = re.compile(r"midpoint|reported as|reported \d|quoted as", re.IGNORECASE)
_APPROXIMATE = re.compile(
    r"approximate|about|article says|abstract figure|reported \d", re.IGNORECASE
)


class Spread(NamedTuple):
    """A published range, or the word that a figure is approximate."""

    low: float | None
    high: float | None
    statistic: str | None


def spread(notes: str, value: float) -> Spread:
    """Find the range that a stored midpoint or end stands for; empty where there is none."""
    for match in _MIDPOINT.finditer(notes) if _RANGED.search(notes) else ():
        low, high = float(match.group(1)), float(match.group(2))
        if low <= value <= high and low < high:
            return Spread(low, high, "range")
    return Spread(None, None, "approx" if _APPROXIMATE.search(notes) else None)


_SERVED_SHARE = re.compile(r"(\d+)/150(?: thinking)? (on|off)")


def quality(text: str) -> list[tuple[int, bool]]:
    """Read 8-pack scores with their thinking mode: [(passed, thinking)]."""
    return [(int(passed), mode == "on") for passed, mode in _SERVED_SHARE.findall(text)]

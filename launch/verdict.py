"""Whether it fits: host memory and cards, each answer with what is needed and what is there."""

from collections.abc import Iterable
from typing import NamedTuple

from launch.gate import Need, gate
from launch.layout import Layout


class Memory(NamedTuple):
    """The memory of a host in GiB; None where unknown. `available_gib` is what is free now."""

    total_gib: float | None = None
    available_gib: float | None = None
    swap_gib: float | None = None


class Fit(NamedTuple):
    """An answer (None: not known) with its reason, and what to do where it is no or tight."""

    fits: bool | None
    said: str
    remedy: str | None = None


def host_fit(need: Need, memory: Memory, smaller: Iterable[tuple[str, float]] = ()) -> Fit:
    """Hold the need against total and available memory; swap does not count.

    `smaller` lists other slugs of the model with what each needs; the largest that fits is named.
    Experts that page from disk run at the disk's speed, so swap is no remedy.
    """
    parts = (
        f"{need.experts_gib:.1f} experts, {need.embedding_gib:.1f} embedding, "
        f"{need.drafter_gib:.1f} drafter, {need.overhead_gib:.0f} process"
        f"{f', {need.dense_gib:.1f} dense part' if need.dense_gib else ''}"
        f"{f', {need.prediction_gib:.1f} prediction layer' if need.prediction_gib else ''}"
    )
    head = f"host RAM: needs {need.total_gib:.1f} GiB ({parts})"
    known = [have for have in (memory.total_gib, memory.available_gib) if have is not None]
    if not known:
        return Fit(None, f"{head}; what is there is not known", "give --ram GIB")
    have = min(known)
    verdict = gate(need, have)
    which = "available" if memory.available_gib == have else "installed"
    said = f"{head}; {have:.1f} GiB {which}"
    if verdict.fits:
        tight = "less than a full report's peaks: close other programs" if verdict.tight else None
        return Fit(fits=True, said=said, remedy=tight)
    said = f"{said}: {verdict.missing_gib:.1f} GiB short"
    return Fit(fits=False, said=said, remedy=_remedy(need, memory, smaller))


def _remedy(need: Need, memory: Memory, smaller: Iterable[tuple[str, float]]) -> str:
    total = memory.total_gib
    remedies = []
    if total is not None and need.total_gib <= total:
        remedies.append("free memory: the host has enough, but other programs hold it")
    have = memory.available_gib if total is None else total
    fitting = [(gib, slug) for slug, gib in smaller if have is not None and gib <= have]
    if fitting:
        gib, slug = max(fitting)
        remedies.append(f"{slug} fits ({gib:.0f} GiB)")
    if memory.swap_gib:
        remedies.append(f"the {memory.swap_gib:.0f} GiB of swap do not help: paging is disk speed")
    return "; ".join(remedies) or "add RAM, or choose a smaller quant"


def card_fit(
    layout: Layout,
    cards_free_mib: tuple[float, ...],
    margin_mib: float,
    smaller: Iterable[tuple[str, float]] = (),
) -> Fit:
    """Say whether the cards hold the dense part, with headroom for a deep prefill.

    `smaller` lists slugs of the model that these cards hold; the largest is named as the remedy.
    """
    if not cards_free_mib:
        return Fit(None, "cards: none given; everything runs on the host")
    free = " + ".join(f"{mib:,.0f}" for mib in cards_free_mib)
    if not layout.fits:
        said = f"cards: {free} MiB free are {layout.short_mib:,.0f} MiB short of the dense part"
        remedy = "less context, a smaller ubatch, no drafter, or a cache at q8_0"
        best = max(smaller, key=lambda one: one[1], default=None)
        if best:
            remedy = f"{best[0]} fits these cards; or {remedy}"
        return Fit(fits=False, said=said, remedy=remedy)
    used = " + ".join(f"{mib:,.0f}" for mib in layout.used_mib)
    left = " + ".join(f"{mib + margin_mib:,.0f}" for mib in layout.spare_mib)
    said = (
        f"cards: {used} of {free} MiB used; {left} left, of it {margin_mib:,.0f} for a deep "
        "prefill (556 died, 896 survived)"
    )
    return Fit(fits=True, said=said)

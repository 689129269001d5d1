"""How much context the cards hold: what boots, and what also survives the first deep prefill.

An engine reserves cache and buffers when it boots; the first long prompt then takes more. A context
that boots with less than the margin left dies on it: 556 MiB left died on 90,000 tokens, 896 MiB
survived 188,000. The margin grows with context times batch beyond what it was measured at, and a
drafter's own context has buffers of the target's shape (`launch.budget`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from launch.budget import (
    COMPUTE_MIB,
    FIRST_CARD_EXTRA_MIB,
    FIRST_DECODE_MIB,
    MARGIN_CELLS,
    MASK_BYTES,
)
from launch.placement import MARGIN_MIB, Placement, free_mib
from models.answer import Ceiling
from models.facts import GB_PER_MIB, Facts
from models.rig import Cards
from models.setup import Target, bundles_of

STEP_TOKENS = 1024
"""Contexts are told in whole KiB of tokens, as people allocate them."""


class Load(NamedTuple):
    """What the fullest card holds before any context, and what each token of context adds, MiB."""

    free_mib: float
    fixed_mib: float
    mib_per_token: float


def loads(target: Target, placed: Placement, cards: Cards, ubatch: int) -> list[Load]:
    """Load each card: its share of the dense weights and the cache, its experts, its buffers.

    `target.launch["drafter"]` is None where none runs.
    """
    variant, number = target.variant, cards.number
    bundles = bundles_of(variant)
    pinned = [sum(bundles[block] for block in blocks) for blocks in placed.on_cards]
    if not pinned:  # placed by a count of layers, not card by card
        pinned = [placed.pinned_mib / number] * number
    contexts = 2 if target.launch["drafter"] else 1
    mask = contexts * ubatch * MASK_BYTES / (1 << 20)
    per_token = mask + variant["kv_mib_per_1k"] / 1000 / number
    held = _measured(target, number, ubatch, per_token) or _derived(target, number)
    return [
        Load(free_mib(gib), experts + held.each_mib + held.first_mib * (card == 0), per_token)
        for card, (gib, experts) in enumerate(zip(cards.vram_gib, pinned, strict=True))
    ]


class _Held(NamedTuple):
    """What every card holds beside experts and context, and the first card on top."""

    each_mib: float
    first_mib: float


def _measured(target: Target, cards: int, ubatch: int, per_token: float) -> _Held | None:
    """Take the slug's measured reserve less its context, where cards and batch are the slug's."""
    launch, residency = target.launch, target.launch["residency"]
    if not residency or not launch["ctx"] or (cards, ubatch) != (launch["cards"], launch["ubatch"]):
        return None
    draft = residency["draft_mib"] if launch["drafter"] else 0.0
    each = residency["reserve_mib"] + draft - launch["ctx"] * per_token
    return _Held(max(0.0, each), residency["first_card_extra_mib"])


def _derived(target: Target, cards: int) -> _Held:
    """Add up dense weights, buffers and a drafter's context and weights."""
    dense = target.variant["dense_gb"] / GB_PER_MIB / cards
    drafter = target.launch["drafter"]
    draft = 0.0
    if drafter:
        on_host = drafter["device"] == "cpu"
        weights = 0.0 if on_host else (drafter["file_gib"] or 0) * 1024 / cards
        draft = COMPUTE_MIB + FIRST_DECODE_MIB + weights
    return _Held(dense + COMPUTE_MIB + FIRST_DECODE_MIB + draft, FIRST_CARD_EXTRA_MIB)


def ceiling(target: Target, placed: Placement, cards: Cards, ubatch: int) -> Ceiling | None:
    """Find both ceilings; None without a card, or where the size of the cache is not known."""
    if not cards.number or not target.variant["kv_mib_per_1k"]:
        return None
    found = loads(target, placed, cards, ubatch)
    return Ceiling(
        boots_tokens=_most(target.variant, found, 0.0, ubatch),
        survives_tokens=_most(target.variant, found, MARGIN_MIB, ubatch),
        ubatch=ubatch,
    )


def _most(variant: Facts, found: Sequence[Load], margin_mib: float, ubatch: int) -> int:
    """Take the context that the fullest card still holds, at most what the model was made for."""
    grows = margin_mib * ubatch / MARGIN_CELLS
    tokens = min(
        min((room - margin_mib) / one.mib_per_token, room / (one.mib_per_token + grows))
        for one in found
        for room in [one.free_mib - one.fixed_mib]
    )
    whole = max(0, int(tokens) // STEP_TOKENS * STEP_TOKENS)
    native = variant["native_ctx"]
    return min(whole, native) if native else whole
